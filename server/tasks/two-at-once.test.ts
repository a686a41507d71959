import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockTask } from '../access/task.ts';
import { sql } from '../db/sql.ts';
import { startBuilds } from '../runner/worker/start-builds.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

/**
 * Whatever two people do to a task at once, or a person and a worker: the answers, and what is left
 * in the database, are those of one of the two orders.
 */

const { db, fixtures, request } = await startHarness({ own: true });

/** How often each pair is raced. */
const ROUNDS = Number(process.env.GUILDHALL_TEST_RACE_ROUNDS ?? 1);

const owner = await fixtures.user();
const member = await fixtures.user();
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, member);
const project = await fixtures.project({ organizationId: workspace });

type Act = (task: string, by: User) => Promise<unknown>;

const call =
  (method: string, action: string, more: object = {}): Act =>
  async (task, { key }) => {
    const reply = await request(method, `/api/tasks/${task}${action}`, { key, ...more });
    return [reply.status, reply.body?.code];
  };

const ACTS = {
  approve: call('POST', '/plan/approve'),
  revise: call('PUT', '/plan', { body: { text: 'Another' }, headers: { 'if-match': '*' } }),
  'request changes': call('POST', '/plan/request-changes', { body: { text: 'Test it' } }),
  reject: call('POST', '/plan/reject', { body: {} }),
  cancel: call('POST', '/cancel'),
  resume: call('POST', '/resume'),
  message: call('POST', '/messages', { body: { text: 'And that' } }),
  delete: call('DELETE', ''),
  /** As workers take the start that waits, if there is one; what is locked, at their next poll. */
  start: async (task) => {
    await startBuilds(db);
    await db.many(lockTask(task));
    await startBuilds(db);
  },
} satisfies Record<string, Act>;

type Name = keyof typeof ACTS;
const NAMES = Object.keys(ACTS) as Name[];

const STATES: Record<string, (task: string) => Promise<unknown>> = {
  'waits for approval': async () => {},
  'waits for its start': (task) => ACTS.approve(task, owner),
  'was cancelled': (task) => ACTS.reject(task, owner),
  'has failed': (task) => fixtures.taskStatus(task, 'failed'),
};

/** The answers, and what is left of the task without its ids and times. */
async function outcome(
  state: string,
  [first, second]: [Name, Name],
  order: 'first' | 'second' | 'together',
): Promise<string> {
  const task = await fixtures.task(project, owner);
  await fixtures.turn(task, { state: 'done', attempt: 1 });
  await fixtures.revision(task);
  await STATES[state]?.(task);
  const [one, two] = [() => ACTS[first](task, owner), () => ACTS[second](task, member)];
  let answers: unknown[];
  if (order === 'together') answers = await Promise.all([one(), two()]);
  else if (order === 'first') answers = [await one(), await two()];
  else answers = [await two(), await one()].reverse();
  const left = await db.maybeOne(sql`
    select t.status, t.status_reason, t.last_turn, t.last_message, l.version, l.approved_version,
           (select json_agg(json_build_array(o.key like '%:1', o.done_at is null) order by o.key)
              from outbox o where o.key like t.id || ':%') as starts,
           (select json_agg(json_build_array(u.kind, u.state, u.plan_version) order by u.number)
              from task_turn u where u.task_id = t.id) as turns,
           (select json_agg(m.content order by m.number)
              from task_message m where m.task_id = t.id) as messages
      from task t left join plan l on l.task_id = t.id where t.id = ${task}`);
  // The next worker is to find the start of its own task.
  await db.many(sql`update outbox set done_at = now() where done_at is null`);
  return JSON.stringify([answers, left]);
}

for (const state of Object.keys(STATES))
  test(`a task that ${state}: two changes at once are one after the other`, async () => {
    for (const [i, first] of NAMES.entries())
      for (const second of NAMES.slice(i))
        for (let round = 0; round < ROUNDS; round++) {
          const pair: [Name, Name] = [first, second];
          const both = await outcome(state, pair, 'together');
          const orders = [await outcome(state, pair, 'first')];
          if (orders[0] !== both) orders.push(await outcome(state, pair, 'second'));
          assert.ok(orders.includes(both), [pair.join(' and '), both, ...orders].join('\n'));
        }
  });
