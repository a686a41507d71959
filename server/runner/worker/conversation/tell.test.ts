import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { readConversation } from './read-conversation.ts';
import { tell } from './tell.ts';

/** How much an agent is told: bounded, whatever people and agents have written. */

const { db, fixtures } = await startHarness();
const MOST = 60_000;

/** A task with a plan of three lines, a first message, and a second turn. Returns that turn. */
async function secondTurn() {
  const owner = await fixtures.user();
  const id = await fixtures.task(await fixtures.project({ userId: owner.id }), owner);
  await fixtures.revision(id);
  const turn = (number: number, state: string) =>
    db.one<{ id: string }>(sql`
      insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
      values (${id}, ${number}, 'plan', ${`test:${id}:${number}`}, 'x', ${state},
              case when ${state} = 'done' then now() end)
      returning id`);
  const before = (await turn(1, 'done')).id;
  const { id: turnId } = await turn(2, 'queued');
  const say = (number: number, text: string, role = 'user') =>
    db.many(sql`
      insert into task_message (task_id, number, turn_id, role, author_user_id, content)
      values (${id}, ${number}, ${before}, ${role}, ${role === 'user' ? owner.id : null}, ${text})`);
  await say(1, 'The first message.');
  return { id, owner, before, turnId, say };
}

const told = async ({ turnId }: { turnId: string }, anew: boolean) => {
  const conversation = await readConversation(db, { turnId }, anew);
  return { ...tell(conversation, anew), conversation };
};

test('500 comments of 10,000 characters: as many as fit are told whole, and the others later', async () => {
  const task = await secondTurn();
  await db.many(sql`
    insert into plan_comment (task_id, version, start_line, end_line, current_start_line, text,
                              author_user_id)
    select ${task.id}, 1, 1, 1, 1, rpad('Comment ' || n || '.', 10000, E'\n.'), ${task.owner.id}
      from generate_series(1, 500) n`);
  for (const anew of [true, false]) {
    const { text = '', comments } = await told(task, anew);
    assert.ok(text.length < MOST + 1_000, `${text.length} characters`);
    assert.ok(comments.length > 0 && comments.length < 6, `${comments.length} comments`);
    assert.ok(text.includes('> Comment 1.\n'));
    assert.ok(text.includes(`${500 - comments.length} more do not fit here`), text.slice(-3_000));
  }
  const first = (await told(task, false)).comments.map(({ id }) => id);
  await db.many(sql`
    update plan_comment set told_in_turn = 1, told_revision = updated_at, told_resolved = false
     where id = any(${first}::uuid[])`);
  const next = (await told(task, false)).comments.map(({ id }) => id);
  assert.ok(next.length > 0 && next.every((id) => !first.includes(id)));
});

test('of a long past, the newest is told whole, and older messages by their first lines', async () => {
  const task = await secondTurn();
  for (let n = 2; n <= 100; n++)
    await task.say(n, `Message ${n}.\n${`${n} `.repeat(1_500)}`, n % 2 === 0 ? 'user' : 'agent');
  await db.many(sql`update task_turn set kind = 'prompt' where id = ${task.before}`);
  const { text = '', given } = await told(task, true);
  assert.ok(text.length < MOST + 1_000, `${text.length} characters`);
  assert.ok(text.includes('> The first message.'));
  assert.ok(text.includes('> Message 100.\n> 100 100'));
  assert.ok(text.includes('- You wrote: "Message 81."') || text.includes('"Message 80."'), text);
  assert.match(text, /\(\d+ older ones are left out\)/);
  assert.ok(text.indexOf('Message 99.') < text.indexOf('Message 100.'));
  assert.match(
    given ?? '',
    /^the first message, version 1 of the plan, \d+ later messages and answers and 40 older ones by their first lines; \d+ are left out$/,
  );
});

test('a message that is longer than all that is told is cut, and says so', async () => {
  const task = await secondTurn();
  await task.say(2, `Begin ${'x'.repeat(99_000)}`);
  await db.many(sql`update task_turn set kind = 'prompt' where id = ${task.before}`);
  const { text = '' } = await told(task, true);
  assert.ok(text.length < MOST, `${text.length} characters`);
  assert.match(text, /> Begin xxx/);
  assert.match(text, /\(The rest of 99006 characters is left out\.\)/);
});

test('the first turn of a task has no past', async () => {
  const { before } = await secondTurn();
  assert.equal((await told({ turnId: before }, true)).given, undefined);
});

test('what was cancelled before an agent read it is told as that', async () => {
  const task = await secondTurn();
  await db.many(
    sql`update task_turn set state = 'cancelled', ended_at = now() where id = ${task.before}`,
  );
  const { conversation } = await told(task, true);
  assert.deepEqual(
    [conversation.first?.text, conversation.first?.unread],
    ['The first message.', true],
  );
});
