import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from '../../db/sql.ts';
import { createKey } from '../../identity/keys/keys.ts';
import { startProvider } from '../../testing/fakes/model-provider/provider.ts';
import type { Asked, Reply } from '../../testing/fakes/model-provider/shapes.ts';
import { installed } from '../../testing/fixtures/runner/installed-agents.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/**
 * A real agent from its package as the client of `/mcp`: Claude Code, connected as docs/mcp.md says,
 * with a scripted model that calls one tool after the other.
 */

const { db, fixtures, unchanged, url } = await startHarness();
const entry = installed({ id: 'claude-code', program: 'claude' });
const skip = entry === undefined ? 'claude is not installed' : false;

interface Call {
  tool: string;
  input: object;
}

/** What the agent said at the end, the tools that its model was offered, and all that it was sent. */
async function run(key: string, calls: readonly Call[]) {
  const left = [...calls];
  let offered: string[] = [];
  let sent = '';
  const reply = ({ tools, all }: Asked): Reply => {
    // It also asks for titles and the like, without tools.
    if (tools.length === 0) return { text: 'A title' };
    const prefix = 'mcp__guildhall__';
    offered = tools.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    sent = all;
    const next = left.shift();
    if (next === undefined) return { text: 'That is all.' };
    const tool = { name: prefix + next.tool, input: next.input, id: `call-${left.length}` };
    return { text: 'I see.', tool };
  };
  const provider = await startProvider({ reply });
  const home = await mkdtemp(join(tmpdir(), 'guildhall-mcp-'));
  try {
    const work = join(home, 'work');
    const servers = join(home, 'servers.json');
    await mkdir(work);
    await writeFile(
      servers,
      JSON.stringify({
        mcpServers: {
          guildhall: {
            type: 'http',
            url: `${url}/mcp`,
            headers: { Authorization: `Bearer ${key}` },
          },
        },
      }),
    );
    const allowed = calls.map(({ tool }) => `mcp__guildhall__${tool}`).join(',');
    const { stdout } = await promisify(execFile)(
      entry?.command as string,
      ['-p', 'Go on', '--mcp-config', servers, '--strict-mcp-config', '--allowedTools', allowed],
      {
        cwd: work,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          ANTHROPIC_BASE_URL: provider.url,
          ANTHROPIC_API_KEY: 'a-scripted-model-takes-any-key',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
        },
        timeout: 120_000,
      },
    );
    return { said: stdout.trim(), offered, sent };
  } finally {
    await provider.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function planned() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  return { owner, task };
}

const approvals = (task: string) =>
  db.many<{ actor: string; key: string | null }>(sql`
    select actor_user_id as actor, key_id as key from audit_event
     where action = 'plan.approve' and target_id = ${task} and outcome = 'done'`);

test('a real agent reads a plan and approves it in the version that it read', {
  skip,
}, async () => {
  const { owner, task } = await planned();
  const { said, offered, sent } = await run(owner.key, [
    { tool: 'get_plan', input: { task_id: task } },
    { tool: 'approve_plan', input: { task_id: task, version: 1 } },
  ]);
  assert.equal(said, 'That is all.');
  assert.ok(offered.includes('merge_task') && offered.includes('list_workspaces'));
  assert.match(sent, /newly_approved/);
  const [approval] = await approvals(task);
  assert.equal(approval?.actor, owner.id);
  assert.notEqual(approval?.key, null);
});

test('a real agent approves nothing without the version, with another one, or with a key that only reads', {
  skip,
}, async () => {
  const { owner, task } = await planned();
  const wrong = await unchanged(() =>
    run(owner.key, [
      { tool: 'approve_plan', input: { task_id: task } },
      { tool: 'approve_plan', input: { task_id: task, version: 2 } },
    ]),
  );
  assert.match(wrong.sent, /missing_argument/);
  assert.match(wrong.sent, /plan_changed/);
  const key = await createKey(db, { email: owner.email, name: 'reads' });
  await db.many(sql`update api_key set read_only = true where id = ${key?.id as string}`);
  const reading = await unchanged(() =>
    run(key?.secret as string, [{ tool: 'approve_plan', input: { task_id: task, version: 1 } }]),
  );
  assert.ok(reading.offered.includes('get_plan'));
  assert.ok(!reading.offered.includes('approve_plan'));
  assert.deepEqual(await approvals(task), []);
});
