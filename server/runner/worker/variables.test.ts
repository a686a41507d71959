import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf } from '../../code/index.ts';
import { sql } from '../../db/sql.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { checksOn } from '../../testing/fixtures/code/checks.ts';
import { deploying, deploysOn } from '../../testing/fixtures/code/deploys.ts';
import { VARIABLES } from '../../testing/fixtures/runner/variables.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { startAgent } from '../agents/start-agent.ts';
import { agentRunner } from './agent-runner.ts';
import { openRepositories } from './repository.ts';

/** What agents, checks and deploys get of a project's variables, and what of them is shown. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const deploys = await deploysOn(harness);
const checks = await checksOn(harness);
const tasks = workersOn(harness);
const { pods, owner: by } = deploys;
const SECRET = 'päss "wörd" with+signs&more';
const SECRET_LINE = 'a line of a key that is long enough';
const KEY = `-- key --\n${SECRET_LINE}\nend`;

/** One of each purpose, and those that a stage replaces. */
async function setVariables(project: string) {
  const set = (name: string, purposes: string[], value: string, more = {}) =>
    fixtures.variable(project, { by, name, purposes, value, ...more });
  const secret = { secret: true };
  await set('TOKEN', ['agent', 'checks', 'deploy'], SECRET, secret);
  await set('KEY', ['checks'], KEY, secret);
  await set('PLAIN', ['agent', 'checks'], 'for agents and checks');
  await set('SHORT', ['checks'], 'abcd', secret);
  await set('DEPLOY_KEY', ['deploy'], 'of every stage', secret);
  await set('DEPLOY_KEY', ['deploy'], 'of production', { ...secret, stage: 'production' });
  await set('DEPLOY_KEY', ['deploy'], 'of staging', { ...secret, stage: 'staging' });
  await set('ANTHROPIC_BASE_URL', ['agent'], 'https://elsewhere.example');
  await set('CI', ['checks'], 'no');
  await set('SETUP', ['setup'], 'for the setup');
}

/** A task in a project with these variables, whose pull request has this check. */
async function checkedWith(command: string) {
  const { projectId } = await checks.offered();
  await setVariables(projectId);
  const { taskId } = await checks.checked({ a: command }, projectId);
  checks.worker(pods);
  await checks.untilEnded(taskId);
  return (await checks.runs(taskId))[0]?.log ?? '';
}

test('a check gets what is for checks, ours win, and nothing of it is in an argument', async () => {
  const log = await checkedWith(
    'echo "[$PLAIN] [$CI] [$DEPLOY_KEY] [$SETUP]"; test -n "$TOKEN$SHORT" && echo both; ' +
      "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'for agents[ ]and checks'",
  );
  assert.equal(log, '[for agents and checks] [true] [] []\nboth\n0\nIt ended with code 1.\n');
});

test('a secret that a check prints in ten ways is hidden; in other ways it is not found', async () => {
  const script = [
    'const { TOKEN: t, KEY, SHORT } = process.env;',
    'const w = (s) => process.stdout.write(s);',
    "const b = (s) => Buffer.from(s).toString('base64');",
    "w('1 plain ' + t + '\\n'); w('2 twice ' + t + ' ' + t + '\\n');",
    "w('3 halves ' + t.slice(0, 9)); w(t.slice(9) + '\\n');",
    "w('4 base64 ' + b('user:' + t) + '\\n'); w('5 url ' + encodeURIComponent(t) + '\\n');",
    "w('6 json ' + JSON.stringify({ t }) + '\\n'); w('7 crlf ' + t + '\\r\\n');",
    "console.error('8 stderr ' + t); w('9 lines ' + KEY + '\\n' + KEY.replace(/\\n/g, '\\r\\n'));",
    "w('\\n10 short ' + SHORT + '\\n');",
    "w('not: ' + [...t].reverse().join('') + ' ' + b(b(t)) + ' ' + [...t].join('-'));",
    "w('\\n11 end ' + t);",
  ].join(' ');
  const log = await checkedWith(`node -e ${JSON.stringify(script).replaceAll('$', '\\$')}`);
  for (const form of [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET), SECRET_LINE])
    assert.ok(!log.includes(form.slice(1, -1)), log);
  assert.ok(!log.includes(Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4)), log);
  assert.ok(!log.includes('abcd'), log);
  for (const [number, hidden] of [
    ['1 plain', '***'],
    ['2 twice', '*** ***'],
    ['3 halves', '***'],
    ['6 json', '{"t":"***"}'],
    ['7 crlf', '***'],
    ['8 stderr', '***'],
    ['10 short', '***'],
    ['11 end', '***'],
  ])
    assert.match(log, new RegExp(`^${number} ${RegExp.escape(hidden ?? '')}`, 'm'));
  // Whoever runs the command decides what it prints: hiding only helps against mistakes.
  assert.ok(log.includes([...SECRET].toReversed().join('')));
  assert.ok(log.includes([...SECRET].join('-')));
});

test('a deploy gets what is for its stage, once its commit was merged', async () => {
  const command = 'test "$DEPLOY_KEY" = "of production" && echo "$DEPLOY_KEY [$PLAIN] $TOKEN"';
  const first = await deploys.merged({ 'a.txt': '1\n' });
  await setVariables(first.projectId);
  const { deploy } = await deploys.merged(deploying(command), first.projectId);
  const worker = deploys.worker();
  worker.start();
  await deploys.until(deploy, 'success', 'failed');
  await worker.close();
  assert.equal(await deploys.logOf(deploy), '*** [] ***\nIt ended with code 0.\n');
});

test('without SERVER_SECRET, what needs a secret fails with a sentence', async () => {
  const { projectId, deploy } = await deploys.merged(deploying('true'));
  const checked = await checks.offered();
  const serverSecret = 'a secret that no server of these has, long enough';
  for (const project of [projectId, checked.projectId]) {
    const purposes = ['deploy', 'checks'];
    await fixtures.variable(project, { by, name: 'LOST', secret: true, purposes, serverSecret });
  }
  const worker = deploys.worker();
  worker.start();
  await deploys.until(deploy, 'failed');
  await worker.close();
  assert.match((await deploys.get(deploy)).reason ?? '', /^The secret LOST .* SERVER_SECRET/);
  const { taskId } = await checks.checked({ a: 'true' }, checked.projectId);
  checks.worker(pods);
  await checks.untilEnded(taskId);
  assert.match((await checks.runs(taskId))[0]?.log ?? '', /^The secret LOST /);
});

const directory = join(pods.directory, '..', `${pods.directory.split('/').at(-1)}-repositories`);
const fakes = join(import.meta.dirname, '../../testing/fakes');
const runner = agentRunner(db, {
  pods,
  files: diskStore(join(directory, 'files')),
  filesPerProject: 1e9,
  startAgent,
  sealing: VARIABLES,
  repositories: openRepositories(directory),
  agentOf: () => ({
    agent: {
      id: 'showing',
      command: 'node',
      args: [join(fakes, 'showing-agent.ts'), SECRET],
      env: { ANTHROPIC_BASE_URL: 'http://of-the-catalog' },
      readable: [fakes],
    },
    provider: undefined,
    modelId: 'sandbox',
    model: 'sandbox',
    sessionModel: undefined,
    costOf: () => 0n,
  }),
});
after(() => execFileSync('rm', ['-rf', directory]));

test('a plan turn gets no secret and a build turn does; neither shows one, and the provider stays', async () => {
  const { id, owner } = await tasks.task();
  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${id}`);
  await setVariables(project_id);
  tasks.worker(runner.run, { times: { stop: 9_000 } });
  await tasks.queue(id, 'plan', 'Show it');
  await tasks.untilStatus(id, 'awaiting_approval');
  const { body: plan } = await db.one<{ body: string }>(sql`
    select body from plan_revision where task_id = ${id}`);
  const said = (token: boolean) =>
    `I have *** and ***. {"TOKEN":${token},"PLAIN":"for agents and checks"} at http://of-the-catalog`;
  assert.equal(plan, said(false));
  await harness.request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  await tasks.untilStatus(id, 'ready');
  const events = await tasks.eventsOf(id);
  const messages = (turn: number) =>
    events
      .filter(({ type }) => type === 'message' || type === 'turn_ended')
      .map(({ text = '\n' }) => text)
      .join('')
      .split('\n')[turn];
  assert.deepEqual([messages(0), messages(1)], [said(false), said(true)]);
  const [call] = events.filter(({ type }) => type === 'tool_call');
  assert.deepEqual([call.title, call.toolCallId], ['curl -H ***', 'call ***']);
  const stored = await db.many<{ text: string }>(sql`
    select content as text from pod_log l join pod p on p.id = l.pod_id where p.task_id = ${id}
    union all select path from artifact where task_id = ${id}
    union all select to_jsonb(u)::text from task_turn u where u.task_id = ${id}`);
  assert.ok(stored.some(({ text }) => text.includes('at the end ***')));
  assert.ok(stored.some(({ text }) => text === '***.txt'));
  const [{ artifact } = assert.fail()] = await db.many<{ artifact: string }>(sql`
    select id as artifact from artifact where task_id = ${id}`);
  const file = await harness.request('GET', `/api/tasks/${id}/artifacts/${artifact}`, {
    key: owner.key,
  });
  const message = execFileSync(
    'git',
    ['-C', join(directory, project_id, 'main.git'), 'log', '--all', '--format=%B', branchOf(id)],
    { encoding: 'utf8' },
  );
  const forms = [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET).slice(1, -1)];
  const shown = [JSON.stringify(events), ...stored.map(({ text }) => text), file.text, message];
  for (const form of [...forms, Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4)])
    for (const text of shown) assert.ok(!text.includes(form), text);
});
