import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { Registry } from 'prom-client';
import { type Sql, sql } from '../../db/sql.ts';
import { genericPlan, watchStatements } from '../../testing/database/statements.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { seriesOf } from '../../testing/harness/metrics.ts';
import { until } from '../../testing/harness/until.ts';
import { AgentError, type AgentSession, type StartAgent } from '../agents/agent.ts';
import { countAgents, measureConcurrency, measureTasks, measureWorker } from './metrics.ts';
import { TurnFailed } from './runner.ts';

const harness = await startHarness({ own: true });
const { db, metrics } = harness;
const tasks = workersOn(harness);
const observer = measureWorker(metrics);
measureTasks(metrics, db);

const value = async (name: string, labels = '') =>
  (await seriesOf(metrics, `guildhall_${name}`))[labels] as number;
const turns = (state: string) => value('task_turns', `{state="${state}"}`);

test('a turn counts by its state, then by its result, with its duration and what it cost', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  assert.deepEqual([await turns('queued'), await turns('running')], [1, 0]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const worker = tasks.worker(
    async (_, { charge }) => {
      await charge(1_500_000n);
      await promise;
      return { text: 'A plan' };
    },
    { observer, concurrency: 3 },
  );
  measureConcurrency(metrics, { concurrency: 3, running: worker.running });
  await until('it runs', async () => (await turns('running')) === 1);
  await until('it is at work here', async () => (await value('task_worker_turns')) === 1);
  assert.equal(await value('task_worker_concurrency'), 3);
  resolve();
  await tasks.untilPublished(turn);
  assert.equal(await value('task_turns_ended_total', '{result="done"}'), 1);
  assert.equal(await value('task_turn_duration_seconds_count', '{kind="plan"}'), 1);
  assert.equal(await value('task_charged_usd_total'), 0.0015);

  const next = await tasks.queue(id, 'prompt', 'fail');
  await worker.close();
  const failing = tasks.worker(() => Promise.reject(new TurnFailed('It failed.')), { observer });
  await tasks.untilPublished(next);
  assert.equal(await value('task_turns_ended_total', '{result="failed"}'), 1);
  await failing.close();
});

test('a lost lease and a take-over are counted, a turn that was given back is not', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  // It writes until another one has the turn, and does not renew its lease.
  const first = tasks.worker(
    async (_, { append }) => {
      for (;;) await append({ type: 'notice', payload: {} });
    },
    { observer, concurrency: 1, times: { beat: 60_000, silence: 60_000 } },
  );
  await tasks.untilStatus(id, 'planning');
  await db.many(sql`update task_turn set lease_until = now() - interval '1 s' where id = ${turn}`);
  assert.ok((await value('task_turn_oldest_due_seconds')) >= 1);
  const second = tasks.worker(() => new Promise(() => {}), { observer });
  await until('it is lost', async () => (await value('task_leases_lost_total')) === 1);
  assert.equal(await value('task_take_overs_total'), 1);
  await Promise.all([first.close(), second.close()]);
  const third = tasks.worker(async () => ({ text: 'A plan' }), { observer });
  await tasks.untilPublished(turn);
  assert.equal(await value('task_take_overs_total'), 1);
  await third.close();
});

test('the oldest due turn is one that a worker could claim, since it could', async () => {
  const due = () => value('task_turn_oldest_due_seconds');
  assert.equal(await due(), 0);
  const { id } = await tasks.task();
  const first = await tasks.queue(id);
  const second = await tasks.queue(id, 'prompt');
  const since = (turn: string, hours: number) =>
    db.many(sql`
      update task_turn set not_before = now() - make_interval(hours => ${hours}::int)
       where id = ${turn}`);
  await since(first, 1);
  await since(second, 2);
  assert.ok((await due()) < 60, 'the task itself was queued just now');
  await db.many(sql`update task set updated_at = now() - interval '3 hours' where id = ${id}`);
  assert.equal(Math.round((await due()) / 3_600), 1, 'the second one waits for the first');
  await db.many(sql`
    update task set status = 'paused', status_reason = 'spend_cap' where id = ${id}`);
  assert.equal(await due(), 0);
  await db.many(sql`
    insert into outbox (topic, key, payload, created_at)
    values ('agent_start', ${randomUUID()}, '{}', now() - interval '5 hours')`);
  assert.equal(Math.round((await due()) / 3_600), 5);
  await db.many(sql`update outbox set done_at = now()`);
});

test('pods count by driver and state, and the one that should have gone first has an age', async () => {
  assert.equal(await value('pod_oldest_expired_seconds'), 0);
  for (const [state, hours] of [
    ['running', -1],
    ['paused', 2],
    ['destroying', 3],
    ['absent', 9],
  ] as const)
    await db.many(sql`
      insert into pod (task_id, driver, state, expires_at)
      values (${(await tasks.task()).id}, 'process', ${state},
              now() - make_interval(hours => ${hours}::int))`);
  assert.deepEqual(await seriesOf(metrics, 'guildhall_pods'), {
    '{driver="process",state="running"}': 1,
    '{driver="process",state="paused"}': 1,
    '{driver="process",state="destroying"}': 1,
  });
  assert.equal(Math.round((await value('pod_oldest_expired_seconds')) / 3_600), 3);
});

test('pods are counted from an index alone, however many have long been at rest', async (t) => {
  const sent: string[] = [];
  watchStatements(({ text }) => void sent.push(text));
  await value('pod_oldest_expired_seconds');
  const text = sent.find((one) => one.includes('from pod')) ?? '';
  const client = new pg.Client(harness.databaseUrl);
  await client.connect();
  t.after(() => client.end());
  await client.query(
    `insert into pod (task_id, driver, state, expires_at)
     select $1, 'process', 'destroying', now() + interval '1 day' from generate_series(1, 5000)`,
    [(await tasks.task()).id],
  );
  await client.query('vacuum analyze pod');
  await client.query('set enable_seqscan = off'); // most pods of a server are gone
  const plan = await genericPlan(client, text);
  assert.equal(plan.match(/Index Only Scan using pod_existing on pod/g)?.length, 2, plan);
});

test('agents count by how they end; one that opens no session has not started', async () => {
  const ends = (result: string) => value('agent_ends_total', `{result="${result}"}`);
  const prompt: AgentSession['prompt'] = async () => ({
    stopReason: 'refused',
    text: '',
    alive: true,
  });
  const options = { signal: new AbortController().signal } as StartAgent;
  const session = await countAgents(async () => ({ prompt }) as AgentSession, observer)(options);
  await session.prompt('');
  const broken = countAgents(() => Promise.reject(new AgentError('timeout', 'No')), observer);
  await assert.rejects(broken(options), { code: 'timeout' });
  await assert.rejects(broken({ ...options, signal: AbortSignal.abort() }), { code: 'timeout' });
  assert.deepEqual(
    [await ends('refused'), await ends('not_started'), await ends('cancelled'), await ends('done')],
    [1, 1, 1, 0],
  );
});

test('a scrape reads no turn that has ended', async () => {
  const { id } = await tasks.task();
  await harness.owner(sql`
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
    select ${id}, n, 'prompt', 'many:' || n, 'x', 'done', now() from generate_series(1, 5000) n`);
  await harness.owner(sql`analyze task_turn`);
  const sent: Sql[] = [];
  const registry = new Registry();
  measureTasks(registry, {
    one: async (query) => {
      sent.push(query);
      throw new Error('only the statement is of interest');
    },
  });
  await registry.metrics();
  const plan = await harness.owner(sql`explain ${sent[0] as Sql}`);
  assert.doesNotMatch(JSON.stringify(plan), /Seq Scan on task_turn/);
});
