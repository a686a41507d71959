import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { attach } from '../testing/fixtures/tasks/stored-files.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness();
const { db, files, fixtures, request, unchanged, url } = harness;

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const project = await fixtures.project({ organizationId: workspace });
const task = await fixtures.task(project, owner);
const path = `/api/tasks/${task}/attachments`;
const other = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);

const upload = (key: string, raw: Buffer | string, name = 'a.txt', to = path) =>
  request('POST', `${to}?${new URLSearchParams({ filename: name })}`, {
    key,
    raw,
    headers: { 'content-type': 'text/html' },
  });

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of files.list()) keys.push(...page.map(({ key }) => key));
  return keys;
}

/** Asserts that a refusal leaves no row and no bytes. */
async function refused(work: () => ReturnType<typeof request>) {
  const before = await stored();
  const reply = await unchanged(work);
  assert.deepEqual(await stored(), before);
  return reply;
}

test('201: the bytes come back as they were, with their hash, under the name they were given', async () => {
  const bytes = randomBytes(3_000_000);
  const { status, body, headers } = await upload(owner.key, bytes, 'Übersicht “1”.bin');
  assert.equal(status, 201);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id, created_at, ...rest } = body;
  assert.deepEqual(rest, {
    project_id: project,
    task_id: task,
    name: 'Übersicht “1”.bin',
    media_type: 'application/octet-stream',
    size: bytes.length,
    sha256,
    uploaded_by_user_id: owner.id,
  });
  assert.equal(headers.get('location'), `${path}/${id}/content`);
  const content = await fetch(`${url}${path}/${id}/content`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  assert.deepEqual(Buffer.from(await content.arrayBuffer()), bytes);
  assert.equal(content.headers.get('etag'), `"${sha256}"`);
  assert.equal(
    content.headers.get('content-disposition'),
    "attachment; filename*=UTF-8''%C3%9Cbersicht%20%E2%80%9C1%E2%80%9D.bin",
  );
  const part = await fetch(`${url}${path}/${id}/content`, {
    headers: { authorization: `Bearer ${owner.key}`, range: 'bytes=70000-199999' },
  });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(70_000, 200_000));
  const listed = await request('GET', path, { key: owner.key });
  assert.deepEqual(listed.body.at(-1), body);
});

test('201: the media type is that of the bytes, whatever the sender and the name say', async () => {
  const png = Buffer.from(
    '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489',
    'hex',
  );
  for (const [bytes, type] of [
    [png, 'image/png'],
    ['<script>alert(1)</script>', 'text/plain'],
    ['%PDF-1.7\n', 'application/pdf'],
    ['', 'application/octet-stream'],
    [Buffer.from([0, 1, 2, 3]), 'application/octet-stream'],
  ] as const) {
    const { body } = await upload(owner.key, bytes as Buffer, 'page.html');
    assert.equal(body.media_type, type);
  }
});

test('201: a name is data: any letters, quotes and percent signs come back, and add no header', async () => {
  for (const name of [
    '"; x="y',
    'a%0d%0aX-Evil: 1',
    "Bobby'; drop table task; --",
    '日本語.xlsx',
    '😀',
    '..a',
    'con',
  ]) {
    const { status, body } = await upload(owner.key, 'x', name);
    assert.deepEqual([status, body.name], [201, name]);
    const reply = await request('GET', `${path}/${body.id}/content`, { key: owner.key });
    assert.equal(reply.headers.get('x-evil'), null);
    assert.match(
      reply.headers.get('content-disposition') as string,
      /^attachment; filename\*=UTF-8''[\w%.~!#$&+^`|-]+$/,
    );
  }
});

test('422: names that are paths, have characters that cannot be seen, or are too long; nothing is stored', async () => {
  for (const name of ['../../etc/passwd', '/etc/passwd', 'a\\b', '.', '..', 'é'.repeat(128)]) {
    const reply = await refused(() => upload(owner.key, 'x', name));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'filename_invalid'], name);
  }
  const disguised = await refused(() => upload(owner.key, 'x', 'invoice\u202efdp.exe'));
  assert.equal(disguised.body.detail[0].type, 'character_not_allowed');
  for (const name of ['a\r\nSet-Cookie: x', 'a\0b', '', ' ', 'x'.repeat(256)])
    assert.equal((await refused(() => upload(owner.key, 'x', name))).status, 422, name);
  assert.equal(
    (await refused(() => request('POST', path, { key: owner.key, raw: 'x' }))).status,
    422,
  );
});

test('413: one byte more than 25 MiB', async () => {
  const bytes = Buffer.alloc(25 * 1024 * 1024 + 1);
  assert.equal((await refused(() => upload(owner.key, bytes))).status, 413);
  assert.equal((await upload(owner.key, bytes.subarray(1))).status, 201);
});

test('404: a file of another task is not there', async () => {
  const { body } = await upload(owner.key, 'x');
  const path = `/api/tasks/${other}/attachments/${body.id}/content`;
  assert.equal((await request('GET', path, { key: owner.key })).status, 404);
});

test('204: whoever uploaded a file may delete it, and owners and admins; other members may not', async () => {
  const [author, colleague, admin] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  for (const person of [author, colleague]) await fixtures.member(workspace, person, 'member');
  await fixtures.member(workspace, admin, 'admin');
  const made = async () => `${path}/${(await upload(author.key, 'x')).body.id}`;
  const first = await made();
  assert.equal((await refused(() => request('DELETE', first, { key: colleague.key }))).status, 403);
  assert.equal((await request('DELETE', first, { key: author.key })).status, 204);
  assert.equal((await request('DELETE', first, { key: author.key })).status, 404);
  assert.equal((await request('GET', `${first}/content`, { key: owner.key })).status, 404);
  assert.equal((await request('DELETE', await made(), { key: admin.key })).status, 204);
});

test('201: a file for a new task belongs to no task until a message names it', async () => {
  const { status, body } = await upload(
    owner.key,
    'x',
    'a',
    `/api/projects/${project}/attachments`,
  );
  assert.deepEqual([status, body.task_id], [201, undefined]);
  const reply = await request('GET', `${path}/${body.id}/content`, { key: owner.key });
  assert.equal(reply.status, 404);
});

test('the receipt of delete_project counts every file and byte, and nothing of it is readable then', async () => {
  const doomed = await fixtures.project({ organizationId: workspace });
  const its = await fixtures.task(doomed, owner);
  const file = await attach(
    harness,
    { project: doomed, task: its, by: owner },
    Buffer.alloc(1_000),
  );
  await attach(harness, { project: doomed, by: owner }, Buffer.alloc(234));
  const reply = await request('DELETE', `/api/projects/${doomed}`, { key: owner.key });
  assert.deepEqual([reply.body.files_deleted, reply.body.bytes_freed], [2, 1_234]);
  const gone = await request('GET', `/api/tasks/${its}/attachments/${file}/content`, {
    key: owner.key,
  });
  assert.equal(gone.status, 404);
  const left = await db.many(sql`select from project_storage where project_id = ${doomed}`);
  assert.equal(left.length, 0);
});
