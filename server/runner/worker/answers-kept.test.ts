import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { Question, TurnRunner } from './runner.ts';

/** Answers that come when the worker of the agent that asked has died. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const tasks = workersOn(harness);

const YES_OR_NO = [
  { id: 'yes', name: 'Yes' },
  { id: 'no', name: 'No' },
];
const question = (title: string): Question => ({ kind: 'permission', title, options: YES_OR_NO });

/** An agent that asks these one after the other, and ends with the answers. */
const asking =
  (...titles: string[]): TurnRunner['run'] =>
  async (_, { ask }) => {
    const answers: unknown[] = [];
    for (const title of titles) answers.push(await ask(question(title)));
    return { text: JSON.stringify(answers) };
  };

const requests = (id: string) =>
  db.many<{ id: string; title: string; state: string }>(sql`
    select id, title, state from agent_request where task_id = ${id} order by created_at, id`);

/** A task whose agent has asked these; the last one is open. Its worker then dies. */
async function deserted(...titles: string[]) {
  const { id, owner } = await tasks.task();
  const turn = await tasks.queue(id, 'prompt');
  const answer = async (title: string, option_id = 'yes') => {
    await until(title, async () =>
      (await requests(id)).some((each) => each.title === title && each.state === 'open'),
    );
    const open = (await requests(id)).findLast((each) => each.state === 'open');
    const reply = await request('POST', `/api/tasks/${id}/requests/${open?.id}/answer`, {
      key: owner.key,
      body: { option_id },
    });
    assert.equal(reply.status, 200, reply.text);
  };
  const worker = tasks.worker(asking(...titles));
  for (const title of titles.slice(0, -1)) await answer(title);
  await until('asked', async () => (await requests(id)).length === titles.length);
  await worker.abandon();
  /** Another worker takes the turn over, and its agent asks these. */
  const takeOver = async (...again: string[]) => {
    await db.many(sql`
      update task_turn set lease_until = now() - interval '1 s' where id = ${turn}`);
    tasks.worker(asking(...again));
  };
  const said = async () => {
    await tasks.untilTurn(turn, 'done');
    const { content } = await db.one<{ content: string }>(sql`
      select content from task_message where task_id = ${id} and role = 'agent'`);
    return JSON.parse(content).map(({ optionId }: { optionId: string }) => optionId);
  };
  return { id, answer, takeOver, said };
}

test('an answer that came after the worker died is that of the agent which asks the same again', async () => {
  const { id, answer, takeOver, said } = await deserted('Go on?');
  await answer('Go on?', 'no');
  await takeOver('Go on?');
  assert.deepEqual(await said(), ['no']);
  assert.equal((await requests(id)).length, 1);
  const events = (await tasks.eventsOf(id)).map(({ type }) => type);
  for (const type of ['request', 'request_answered'])
    assert.equal(events.filter((each) => each === type).length, 1, type);
});

test('a question that is still open is asked once, and answered for the agent that asks it now', async () => {
  const { id, answer, takeOver, said } = await deserted('Go on?');
  await takeOver('Go on?');
  await answer('Go on?');
  assert.deepEqual(await said(), ['yes']);
  assert.equal((await requests(id)).length, 1);
});

test('another question is not answered by it, and does not wait for the one that is no longer asked', async () => {
  const { id, answer, takeOver, said } = await deserted('Go on?');
  await takeOver('Delete it?');
  await answer('Delete it?', 'no');
  assert.deepEqual(await said(), ['no']);
  assert.deepEqual(
    (await requests(id)).map(({ title, state }) => [title, state]),
    [
      ['Go on?', 'withdrawn'],
      ['Delete it?', 'answered'],
    ],
  );
});

test('an answer that an agent has had is not used again: what is asked twice is answered twice', async () => {
  const { id, answer, takeOver, said } = await deserted('Run it?', 'Delete it?');
  await takeOver('Run it?', 'Run it?');
  await answer('Run it?', 'no');
  await until('asked again', async () => (await requests(id)).length === 4);
  await answer('Run it?');
  assert.deepEqual(await said(), ['no', 'yes']);
});
