import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { agentsOf } from '../../main/choose-agent.ts';
import { modelUses } from '../../platform/catalog/model-uses.ts';
import { startProvider } from '../../testing/fakes/model-provider/provider.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { KEY } from '../../testing/fixtures/runner/gateway.ts';
import { AGENTS, installed } from '../../testing/fixtures/runner/installed-agents.ts';
import { withoutSandbox } from '../../testing/fixtures/runner/pods.ts';
import { PLAN, scriptedModel } from '../../testing/fixtures/runner/scripted-model.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

/**
 * Real agents, from a message to a commit, in confined pods and through the gateway, with a
 * scripted model. What they tell is compared with what the sandbox agent tells.
 */

const unconfined = await withoutSandbox();
const harness = await startHarness({ own: true });
const { db, request } = harness;
const MODEL = 'gemini-2.5-pro'; // One that Gemini CLI knows; the others take any.
const CHANGES = 'Greet politely.';

const lastTurn = async (taskId: string): Promise<string> =>
  (
    await db.one<{ id: string }>(sql`
      select id from task_turn where task_id = ${taskId} order by number desc limit 1`)
  ).id;

/** Real agents take their time, also to start; what fails is said at once. */
async function untilDone({ turn, untilPublished }: Tasks, id: string): Promise<void> {
  const ended = async () => ['done', 'failed'].includes((await turn(id)).state);
  await until('the turn has ended', ended, 180_000);
  assert.deepEqual([(await turn(id)).error, (await turn(id)).state], [null, 'done']);
  await untilPublished(id);
}

type Tasks = Awaited<ReturnType<typeof agentsAtWork>>;

/** As after an idle day: the pod is gone, and with it the session of its agent. */
async function removePod({ pods }: Tasks, id: string): Promise<void> {
  const resting = sql`select id from pod where task_id = ${id} and state = 'paused'`;
  await until('the pod rests', async () => (await db.many(resting)).length > 0);
  const { id: pod } = await db.one<{ id: string }>(resting);
  await pods.destroy(pod);
  await db.many(sql`update pod set state = 'destroying' where id = ${pod}`);
  await db.many(sql`update pod set state = 'absent' where id = ${pod}`);
}

/**
 * Runs a task through its turns: a plan, changes of it after the pod was removed, and the build.
 * Returns the kinds of its events in each of them.
 */
async function throughBothTurns(tasks: Tasks, message: string) {
  const { id, owner } = await tasks.task({ balance: '10.00' });
  const worker = tasks.work();
  try {
    const planning = await tasks.send({ id, owner }, message);
    await untilDone(tasks, planning);
    const planned = await tasks.eventsOf(id);
    await removePod(tasks, id);
    const changed = await request('POST', `/api/tasks/${id}/plan/request-changes`, {
      key: owner.key,
      body: { text: CHANGES },
    });
    await untilDone(tasks, changed.body.turn_id);
    const later = (await tasks.eventsOf(id)).length;
    const plan = await tasks.planOf(id);
    const { pod } = await db.one<{ pod: string }>(sql`
      select id as pod from pod where task_id = ${id} and state <> 'absent'`);
    const written = () =>
      readFile(join(tasks.folders.pods, pod, 'work/hello.txt'), 'utf8').catch(() => undefined);
    const early = await written();
    await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
    await until('the build is queued', async () => (await lastTurn(id)) !== changed.body.turn_id);
    await untilDone(tasks, await lastTurn(id));
    const all = await tasks.eventsOf(id);
    const { spent } = await db.one<{ spent: bigint }>(sql`
      select sum(spent_nano)::bigint as spent from task_turn where task_id = ${id}`);
    return {
      plan,
      planned,
      built: all.slice(later),
      again: all.slice(planned.length, later),
      early,
      late: await written(),
      spent,
    };
  } finally {
    await worker.close();
  }
}

const kinds = (events: { type: string }[]) => new Set(events.map(({ type }) => type));
/** What every turn tells, whoever carries it out; thoughts and lists are an agent's own affair. */
const TOLD = ['turn_started', 'status', 'message', 'tool_call', 'tool_call_update', 'usage'];

const sandbox = await agentsAtWork(harness);
test('the sandbox agent tells what turns tell', { skip: unconfined }, async () => {
  const { planned, again, built } = await throughBothTurns(sandbox, 'Add a greeting');
  assert.match(again.find(({ type }) => type === 'notice')?.text, /begins anew in a new pod/);
  for (const type of TOLD) assert.ok(kinds(built).has(type), `${type} in the build turn`);
  for (const type of TOLD.filter((one) => one !== 'usage'))
    assert.ok(kinds(planned).has(type), `${type} in the plan turn`);
  assert.ok(kinds(built).has('commit'));
});

for (const agent of AGENTS) {
  const entry = installed(agent);
  const skip = entry === undefined ? `${agent.program} is not installed` : unconfined;
  test(`${agent.id}: plans without writing, builds, and tells the same`, { skip }, async () => {
    const provider = await startProvider({ reply: scriptedModel(agent) });
    after(provider.close);
    const base_url = agent.api === 'openai' ? `${provider.url}/v1` : provider.url;
    const prices = { input: '1.00', output: '10.00', cache_read: '0.10' };
    const models = [
      {
        id: 'm',
        name: 'M',
        agent: agent.id,
        provider: 'p',
        model: MODEL,
        is_default: true,
        prices,
      },
    ];
    const { catalog, errors } = modelUses(
      {
        models,
        agents: [entry as NonNullable<typeof entry>],
        providers: [{ id: 'p', api: agent.api, base_url, key: { env: 'KEY' } }],
      },
      { KEY },
    );
    assert.deepEqual(errors, []);
    const tasks = await agentsAtWork(harness, {
      sandbox: 'required',
      agentOf: agentsOf({
        catalog: {
          erp: { versions: [] },
          images: [],
          pods: { price_per_hour: '0.00' },
          erp_instances: { price_per_hour: '0.00' },
          models,
        },
        agents: catalog,
      }),
    });
    const { plan, planned, built, early, late, spent } = await throughBothTurns(
      tasks,
      'Add a greeting',
    );
    assert.ok(plan.includes(PLAN), plan);
    // Whoever is asked for changes knows what the task is, and what was planned.
    const asked = provider.requests.map(({ body }) => JSON.stringify(body));
    const ofChanges = asked.find((body) => body.includes(CHANGES));
    for (const known of ['> Add a greeting', PLAN]) assert.ok(ofChanges?.includes(known), known);
    assert.deepEqual([early, late], [undefined, 'Hello.\n']);
    for (const type of TOLD) {
      assert.ok(kinds(planned).has(type), `${type} in the plan turn`);
      assert.ok(kinds(built).has(type), `${type} in the build turn`);
    }
    assert.ok(kinds(built).has('commit'));
    // Each answer is charged: 600 + 400 tokens of input, 100 of output.
    const answers = provider.requests.filter(({ method }) => method === 'POST').length;
    assert.equal(spent, BigInt(answers) * 1_640_000n);
    assert.ok(!JSON.stringify([planned, built]).includes(KEY));
  });
}
