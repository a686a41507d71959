import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { TurnFailed } from './runner.ts';

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);

const messages = (taskId: string) =>
  db.many(sql`select role, content from task_message where task_id = ${taskId} order by number`);

test('a plan turn stores the plan, waits for its approval, and the approval builds it once', async () => {
  const { id, owner } = await tasks.task();
  const prompts: string[] = [];
  const worker = tasks.worker(async ({ kind, mode, prompt }) => {
    prompts.push(`${kind} ${mode}: ${prompt}`);
    return { text: kind === 'plan' ? 'The plan' : 'Built' };
  });
  const writer = await harness.fixtures.user();
  const turn = await tasks.queue(id, 'plan', 'Do it', writer);
  await tasks.untilTurn(turn, 'done');
  assert.deepEqual(await tasks.status(id), { status: 'awaiting_approval', reason: null });
  // An approval that comes before this is published with it, as the status of that moment.
  await tasks.untilPublished(turn);

  const approved = await request('POST', `/api/tasks/${id}/plan/approve`, { key: owner.key });
  assert.equal(approved.status, 200);
  await tasks.untilStatus(id, 'ready');
  assert.deepEqual(prompts, ['plan plan: Do it', 'build build: The plan']);
  assert.deepEqual(await messages(id), [
    { role: 'agent', content: 'The plan' },
    { role: 'agent', content: 'Built' },
  ]);
  await until('everything is published', async () => (await tasks.eventsOf(id)).length === 8);
  assert.deepEqual(
    (await tasks.eventsOf(id)).map(({ type, status, state, requested_by_user_id: by }) => [
      type,
      status ?? state ?? by,
    ]),
    [
      ['turn_started', writer.id],
      ['status', 'planning'],
      ['turn_ended', 'done'],
      ['status', 'awaiting_approval'],
      ['turn_started', owner.id],
      ['status', 'building'],
      ['turn_ended', 'done'],
      ['status', 'ready'],
    ],
  );
  await worker.close();
});

test('a failure is a sentence, and the next queued turn goes on', async () => {
  const { id } = await tasks.task();
  const first = await tasks.queue(id, 'prompt', 'one');
  const second = await tasks.queue(id, 'prompt', 'two');
  const worker = tasks.worker(async ({ prompt }) => {
    if (prompt === 'one') throw new TurnFailed('The agent has no model.');
    return { text: 'Done' };
  });
  await tasks.untilTurn(second, 'done');
  assert.deepEqual(await tasks.turn(first), {
    state: 'failed',
    attempt: 1,
    losses: 0,
    error: 'The agent has no model.',
  });
  assert.equal((await tasks.status(id)).status, 'ready');

  const third = await tasks.queue(id, 'prompt', 'one');
  await tasks.untilTurn(third, 'failed');
  assert.deepEqual(await tasks.status(id), {
    status: 'failed',
    reason: 'The agent has no model.',
  });
  await worker.close();
});

test('a turn is cancelled although its agent does not listen', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const worker = tasks.worker(() => new Promise(() => {}));
  await tasks.untilStatus(id, 'planning');
  await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
  await tasks.untilTurn(turn, 'cancelled');
  assert.equal((await tasks.status(id)).status, 'cancelled');
  await worker.close();
});

test('a turn that ends by itself after it was to be cancelled keeps its text, and cancels its task', async () => {
  for (const kind of ['plan', 'prompt'] as const) {
    const { id } = await tasks.task();
    const turn = await tasks.queue(id, kind);
    const begun = Promise.withResolvers<void>();
    const worker = tasks.worker(async (_, { signal }) => {
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
      begun.resolve();
      await stopped;
      return { text: 'The plan' };
    });
    await begun.promise;
    await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
    await tasks.untilTurn(turn, 'done');
    assert.deepEqual(await tasks.status(id), { status: 'cancelled', reason: null });
    assert.deepEqual(await messages(id), [{ role: 'agent', content: 'The plan' }]);
    await worker.close();
  }
});

test('a turn that takes too long fails', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const worker = tasks.worker(() => new Promise(() => {}), { times: { deadline: 300 } });
  await tasks.untilTurn(turn, 'failed');
  assert.match((await tasks.status(id)).reason ?? '', /took longer/);
  await worker.close();
});

test('a question is asked, answered, and the time of waiting does not count', async () => {
  const { id, owner } = await tasks.task();
  const turn = await tasks.queue(id);
  const worker = tasks.worker(
    async (_, { ask }) => {
      const answer = await ask({ kind: 'question', title: 'Which one?', options: [] });
      return { text: JSON.stringify(answer) };
    },
    { times: { deadline: 600 } },
  );
  await tasks.untilStatus(id, 'awaiting_answer');
  assert.equal((await tasks.turn(turn)).state, 'waiting');
  await new Promise((resolve) => setTimeout(resolve, 800));
  await db.many(sql`
    update agent_request set state = 'answered', answer_text = 'Both', ended_at = now(),
           answered_by_user_id = ${owner.id}
     where turn_id = ${turn}`);
  await tasks.untilTurn(turn, 'done');
  assert.deepEqual(await messages(id), [{ role: 'agent', content: '{"text":"Both"}' }]);
  await worker.close();
});

test('a drained worker leaves its turn to another one at once, and that is no loss', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const first = tasks.worker(
    (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      ),
  );
  await tasks.untilStatus(id, 'planning');
  await first.close();
  assert.deepEqual(
    [await tasks.turn(turn), (await tasks.status(id)).status],
    [{ state: 'interrupted', attempt: 1, losses: 0, error: null }, 'queued'],
  );
  const second = tasks.worker(async () => ({ text: 'A plan' }));
  await tasks.untilTurn(turn, 'done');
  await tasks.untilPublished(turn);
  await second.close();
  // Its interruption was published as well, and is not its end.
  const events = await tasks.eventsOf(id);
  const ends = events.filter(({ type }) => type === 'turn_ended').map(({ state }) => state);
  assert.deepEqual(ends, ['interrupted', 'done']);
  const statuses = events.filter(({ type }) => type === 'status').map(({ status }) => status);
  assert.equal(statuses.at(-1), 'awaiting_approval');
});

test('a turn that is claimed while its worker closes is left to another one at once', async () => {
  const { id } = await tasks.task();
  const turn = await tasks.queue(id);
  const [claimed, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const many: typeof db.many = async (query) => {
    const rows = await db.many(query);
    if (rows.length > 0 && query.strings[0]?.includes('picked as materialized')) {
      claimed.resolve();
      await answered.promise;
    }
    return rows as never;
  };
  const worker = tasks.worker(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    { database: { ...db, many } },
  );
  await claimed.promise;
  const closed = worker.close();
  answered.resolve();
  await closed;
  assert.equal((await tasks.turn(turn)).state, 'interrupted');
});

test('turns of a task run one after the other, in their order, and of a worker at most its places', async () => {
  const { id } = await tasks.task();
  const others = await Promise.all([tasks.task(), tasks.task()]);
  const turns = [];
  for (const prompt of ['1', '2', '3']) turns.push(await tasks.queue(id, 'prompt', prompt));
  for (const other of others) turns.push(await tasks.queue(other.id, 'prompt', 'x'));
  const seen: string[] = [];
  let [now, most] = [0, 0];
  const both = Promise.withResolvers<void>();
  const worker = tasks.worker(
    async ({ prompt }) => {
      now += 1;
      most = Math.max(most, now);
      seen.push(prompt);
      if (now === 2) both.resolve();
      await both.promise;
      // For a third one to begin that must not.
      await new Promise((resolve) => setTimeout(resolve, 50));
      now -= 1;
      return { text: '' };
    },
    { concurrency: 2 },
  );
  for (const turn of turns) await tasks.untilTurn(turn, 'done');
  assert.deepEqual(
    seen.filter((prompt) => prompt !== 'x'),
    ['1', '2', '3'],
  );
  assert.equal(most, 2);
  await worker.close();
});
