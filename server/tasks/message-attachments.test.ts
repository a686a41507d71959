import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { attach } from '../testing/fixtures/tasks/stored-files.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const [owner, member] = [await fixtures.user(), await fixtures.user()];
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, member);
const project = await fixtures.project({ organizationId: workspace });
const task = await fixtures.task(project, owner);
const other = await fixtures.task(project, owner);
const elsewhere = await fixtures.project({ organizationId: workspace });

const ofTask = (by = owner) => attach(harness, { project, task, by });
const ofProject = (by = owner) => attach(harness, { project, by });

const send = (attachment_ids: string[], { by = owner, to = task } = {}) =>
  request('POST', `/api/tasks/${to}/messages`, {
    key: by.key,
    body: { text: 'Look at this', attachment_ids },
  });

const create = (attachment_ids: string[], by: User = owner) =>
  request('POST', `/api/projects/${project}/tasks`, {
    key: by.key,
    body: { message: 'Look at this', attachment_ids },
  });

const messagesOf = async (id: string) =>
  (await request('GET', `/api/tasks/${id}/messages?limit=200`, { key: owner.key })).body;

const placeOf = (id: string) =>
  db.one<{ task_id: string | null; message_number: number | null }>(
    sql`select task_id, message_number from attachment where id = ${id}`,
  );

const REFUSED = {
  status: 422,
  loc: ['body', 'attachment_ids'],
  type: 'attachment_not_found',
};

async function refused(send: () => ReturnType<typeof request>) {
  const { status, body } = await unchanged(send);
  const { loc, type } = body.detail[0];
  assert.deepEqual({ status, loc, type }, REFUSED);
}

test('201: a message takes attachments of its task and those its author uploaded to the project', async () => {
  const ids = [await ofTask(member), await ofProject()];
  const { status, body } = await send([...ids, ids[0] as string]);
  assert.equal(status, 201);
  assert.deepEqual(
    body.attachments,
    ids.toSorted().map((id) => ({ id, name: 'attached.txt', media_type: 'text/plain', size: 8 })),
  );
  for (const id of ids)
    assert.deepEqual(await placeOf(id), { task_id: task, message_number: body.number });
  const plain = await send([]);
  assert.deepEqual(plain.body.attachments, []);
  assert.deepEqual((await messagesOf(task)).slice(-2), [body, plain.body]);
});

test('201: the first message of a task takes what its author uploaded to the project', async () => {
  const ids = [await ofProject(member), await ofProject(member)];
  const { status, body } = await create(ids, member);
  assert.equal(status, 201);
  for (const id of ids)
    assert.deepEqual(await placeOf(id), { task_id: body.id, message_number: 1 });
  const [first, ...more] = await messagesOf(body.id);
  assert.deepEqual(
    first.attachments.map(({ id }: { id: string }) => id),
    ids.toSorted(),
  );
  assert.deepEqual(more, []);
});

test('422: attachments of another task, project, person or message, or none at all: nothing is written', async () => {
  const [mine, waiting, used] = [await ofTask(), await ofProject(), await ofTask()];
  assert.equal((await send([used])).status, 201);
  const never = [
    await attach(harness, { project, task: other, by: owner }),
    await attach(harness, { project: elsewhere, by: owner }),
    await ofProject(member),
    used,
    randomUUID(),
  ];
  for (const id of never) {
    await refused(() => send([mine, waiting, id]));
    await refused(() => create([waiting, id]));
  }
  await refused(() => create([mine]));
});

test('422: more than twenty; 404 and 409 come first', async () => {
  const many = Array.from({ length: 21 }, () => randomUUID());
  for (const reply of [await send(many), await create(many)])
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'too_long']);
  assert.equal((await send(many.slice(1), { to: randomUUID() })).status, 404);
  await db.many(sql`update project set archived_at = now() where id = ${elsewhere}`);
  const reply = await request('POST', `/api/projects/${elsewhere}/tasks`, {
    key: owner.key,
    body: { message: 'x', attachment_ids: many.slice(1) },
  });
  assert.deepEqual([reply.status, reply.body.code], [409, 'project_archived']);
});

test('race: of messages of several tasks that name the same attachments, one gets them all', async () => {
  for (let round = 0; round < 10; round++) {
    const ids = [await ofProject(), await ofProject(), await ofProject()];
    const replies = await Promise.all([
      send(ids),
      send(ids.toReversed(), { to: other }),
      create(ids),
      create(ids.toReversed()),
      send(ids, { to: other }),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422, 422]);
    const places = await Promise.all(ids.map(placeOf));
    assert.equal(new Set(places.map(({ task_id }) => task_id)).size, 1);
    assert.ok(places.every(({ message_number }) => message_number !== null));
  }
});

test('race: a message against the deletion of its attachment: sent without it later, or refused', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await ofTask();
    const [sent, deleted] = await Promise.all([
      send([id]),
      request('DELETE', `/api/tasks/${task}/attachments/${id}`, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 204);
    assert.ok([201, 422].includes(sent.status), sent.text);
    const shown = (await messagesOf(task)).at(-1);
    if (sent.status === 201)
      assert.deepEqual([shown.number, shown.attachments], [sent.body.number, []]);
  }
});

test('204: a queued message that is deleted leaves its attachments to the task, for another', async () => {
  const id = await ofProject();
  const to = await fixtures.task(project, owner);
  const { number } = (await send([id], { to })).body;
  const path = `/api/tasks/${to}/messages/${number}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 204);
  assert.deepEqual(await placeOf(id), { task_id: to, message_number: null });
  await refused(() => send([id]));
  assert.equal((await send([id], { to, by: member })).status, 201);
});

test('race: a message is deleted while another names its attachment: no deadlock, and never two', async () => {
  for (let round = 0; round < 10; round++) {
    const to = await fixtures.task(project, owner);
    const id = await attach(harness, { project, task: to, by: owner });
    const { number } = (await send([id], { to })).body;
    const [deleted, ...sent] = await Promise.all([
      request('DELETE', `/api/tasks/${to}/messages/${number}`, { key: owner.key }),
      send([id], { to }),
      send([id], { to }),
    ]);
    assert.equal(deleted.status, 204);
    const taken = sent.filter(({ status }) => status === 201);
    assert.ok(sent.every(({ status }) => status === 201 || status === 422));
    assert.equal((await placeOf(id)).message_number, taken[0]?.body.number ?? null);
    assert.ok(taken.length <= 1);
  }
});

test('the database lets no attachment change what it is, or go to another task', async () => {
  const id = await ofTask();
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
