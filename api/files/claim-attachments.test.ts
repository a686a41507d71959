import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness.ts';
import { attach } from '../testing/stored-files.ts';
import { claimAttachments } from './claim-attachments.ts';

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;
const [owner, member] = [await fixtures.user(), await fixtures.user()];
const project = await fixtures.project({ userId: owner.id });
const task = await fixtures.task(project, owner);
const other = await fixtures.task(project, owner);
const elsewhere = await fixtures.project({ userId: owner.id });
let messages = 0;

/** Writes a message of the task with these attachments. Returns its number. */
const send = (ids: string[], user = owner) =>
  db.transaction(async (tx) => {
    const messageNumber = ++messages;
    await tx.many(sql`
      insert into task_message (task_id, number, role, author_user_id, content)
      values (${task}, ${messageNumber}, 'user', ${user.id}, 'Look at this')`);
    await claimAttachments(tx, ids, {
      projectId: project,
      taskId: task,
      messageNumber,
      userId: user.id,
    });
    return messageNumber;
  });

const placeOf = (id: string) =>
  db.one<{ task_id: string | null; message_number: number | null }>(
    sql`select task_id, message_number from attachment where id = ${id}`,
  );

test('a message takes attachments of its task and those its author uploaded for a new task', async () => {
  const ids = [
    await attach(harness, { project, task, by: member }),
    await attach(harness, { project, by: owner }),
  ];
  const number = await send([...ids, ids[0] as string]);
  for (const id of ids)
    assert.deepEqual(await placeOf(id), { task_id: task, message_number: number });
  await send([]);
});

test('422: another task’s, another project’s, another person’s, another message’s or no file: no message is written', async () => {
  const mine = await attach(harness, { project, task, by: owner });
  const used = await attach(harness, { project, task, by: owner });
  await send([used]);
  for (const id of [
    await attach(harness, { project, task: other, by: owner }),
    await attach(harness, { project: elsewhere, by: owner }),
    await attach(harness, { project, by: member }),
    used,
    randomUUID(),
  ])
    await unchanged(() => assert.rejects(send([mine, id]), { code: 'attachment_not_found' }));
});

test('race: of two messages that name one attachment, one gets it', async () => {
  const id = await attach(harness, { project, by: owner });
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => send([id])));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a message that is deleted gives its attachments back to the task', async () => {
  const id = await attach(harness, { project, by: owner });
  const number = await send([id]);
  await db.many(sql`delete from task_message where task_id = ${task} and number = ${number}`);
  assert.deepEqual(await placeOf(id), { task_id: task, message_number: null });
  await send([id]);
});

test('the database lets no attachment change what it is, or go to another task', async () => {
  const id = await attach(harness, { project, task, by: owner });
  for (const change of [
    sql`update attachment set name = 'b' where id = ${id}`,
    sql`update attachment set sha256 = repeat('0', 64) where id = ${id}`,
    sql`update attachment set task_id = ${other} where id = ${id}`,
    sql`update attachment set message_number = 999999 where id = ${id}`,
  ])
    await assert.rejects(db.many(change));
  for (const name of ['a/b', '..', 'a\\b', 'a\nb', ''])
    await assert.rejects(
      db.many(sql`
        insert into attachment
               (project_id, uploaded_by_user_id, name, media_type, size, sha256, storage_key)
        values (${project}, ${owner.id}, ${name}, 'text/plain', 0, ${'0'.repeat(64)},
                ${`${project}/${randomUUID()}`})`),
      /attachment_name_check/,
    );
});
