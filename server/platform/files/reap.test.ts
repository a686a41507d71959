import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../../db/sql.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { attach, produce } from '../../testing/fixtures/tasks/stored-files.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { diskStore } from './disk-store.ts';
import { reapFiles } from './reap.ts';
import { removeDeleted } from './remove-deleted.ts';

const folder = await temporaryFolder();
const files = diskStore(folder);
const harness = await startHarness({ files });
const { db, fixtures } = harness;
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });
const task = await fixtures.task(project, owner);
const silent = pino({ level: 'silent' });
const reap = async () => {
  const found = await reapFiles(db, files, silent);
  return { ...found, removed: await removeDeleted(db, files) };
};

const keyOf = async (id: string): Promise<string> =>
  (
    await db.one<{ storage_key: string }>(sql`
      select storage_key from attachment where id = ${id}
      union all select storage_key from artifact where id = ${id}`)
  ).storage_key;

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of files.list()) keys.push(...page.map(({ key }) => key));
  return keys;
}

/** Bytes without a row, as a process leaves them that dies before it writes one. */
async function orphan(hours: number, of = project): Promise<string> {
  const key = `${of}/${randomUUID()}`;
  await files.put(key, new Blob(['x']).stream() as never, 1);
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(join(folder, key), then, then);
  return key;
}

test('bytes without a row go after a day and not before; bytes with a row stay', async () => {
  const [young, old] = [await orphan(23), await orphan(25)];
  const attached = await keyOf(await attach(harness, { project, task, by: owner }));
  const produced = await keyOf(await produce(harness, task));
  for (const key of [attached, produced]) await utimes(join(folder, key), 0, 0);
  assert.deepEqual(await reap(), { unused: 0, removed: 0, orphaned: 1, foreign: 0, missing: [] });
  const left = await stored();
  assert.ok([young, attached, produced].every((key) => left.includes(key)));
  assert.ok(!left.includes(old));
});

test('bytes of projects that this database never had stay: they are those of another one', async () => {
  const theirs = [await orphan(50, randomUUID()), await orphan(50, randomUUID())];
  const deleted = await fixtures.project({ userId: owner.id });
  const left = await orphan(50, deleted);
  await harness.request('DELETE', `/api/projects/${deleted}`, { key: owner.key });
  const lines: { msg: string; found?: number }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { orphaned, foreign } = await reapFiles(db, files, log);
  assert.deepEqual([orphaned, foreign], [1, 2]);
  const there = await stored();
  assert.ok(theirs.every((key) => there.includes(key)));
  assert.ok(!there.includes(left), 'of a project that was deleted here');
  assert.match(
    lines.map(({ msg, found }) => `${found} ${msg}`).join(),
    /^2 files of projects that/,
  );
});

test('bytes follow their row, however it was deleted', async () => {
  const attached = await attach(harness, { project, task, by: owner });
  const gone = await fixtures.task(project, owner);
  const keys = [
    await keyOf(attached),
    await keyOf(await attach(harness, { project, task: gone, by: owner })),
    await keyOf(await produce(harness, gone)),
  ];
  await db.many(sql`delete from attachment where id = ${attached}`);
  await db.many(sql`delete from task where id = ${gone}`);
  assert.equal((await reap()).removed, 3);
  const left = await stored();
  assert.ok(keys.every((key) => !left.includes(key)));
  assert.equal((await reap()).removed, 0);
});

test('bytes that somebody may be reading stay for a moment after their row', async () => {
  const attached = await attach(harness, { project, task, by: owner });
  const key = await keyOf(attached);
  await db.many(sql`delete from attachment where id = ${attached}`);
  assert.equal(await removeDeleted(db, files, '1 minute'), 0);
  assert.ok((await stored()).includes(key));
  await harness.owner(sql`update file_removal set removed_at = now() - interval '1 minute'`);
  assert.equal(await removeDeleted(db, files, '1 minute'), 1);
  assert.ok(!(await stored()).includes(key));
});

test('a file for a new task that was not used within a day is deleted; others stay', async () => {
  const [used, unused, young] = [
    await attach(harness, { project, task, by: owner }),
    await attach(harness, { project, by: owner }),
    await attach(harness, { project, by: owner }),
  ];
  const key = await keyOf(unused);
  await harness.owner(sql`alter table attachment disable trigger attachment_stays`);
  await db.many(sql`
    update attachment set created_at = now() - interval '25 hours'
     where id = any(${[used, unused]}::uuid[])`);
  await harness.owner(sql`alter table attachment enable trigger attachment_stays`);
  const { unused: deleted, removed } = await reap();
  assert.deepEqual([deleted, removed], [1, 1]);
  assert.ok(!(await stored()).includes(key));
  const left = await db.many<{ id: string }>(sql`
    select id from attachment where id = any(${[used, unused, young]}::uuid[])`);
  assert.deepEqual(left.map(({ id }) => id).sort(), [used, young].sort());
});

test('rows whose bytes are gone are reported, and nothing else is done', async () => {
  const lost = await attach(harness, { project, task, by: owner });
  const key = await keyOf(lost);
  await harness.owner(sql`alter table attachment disable trigger attachment_stays`);
  await db.many(sql`
    update attachment set created_at = now() - interval '2 hours' where id = ${lost}`);
  await harness.owner(sql`alter table attachment enable trigger attachment_stays`);
  await files.delete([key]);
  assert.deepEqual((await reap()).missing, [key]);
  assert.equal(await keyOf(lost), key);
  await db.many(sql`delete from attachment where id = ${lost}`);
  assert.deepEqual((await reap()).missing, []);
});

test('the count of a project is the sum of its rows after anything that adds and deletes them', async () => {
  const its = await fixtures.project({ userId: owner.id });
  const first = await fixtures.task(its, owner);
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      attach(harness, { project: its, task: n % 2 ? first : null, by: owner }, Buffer.alloc(n)),
    ),
  );
  await produce(harness, first, { bytes: Buffer.alloc(100) });
  await Promise.all(
    ids.slice(0, 5).map((id) => db.many(sql`delete from attachment where id = ${id}`)),
  );
  const counted = await db.one(sql`
    select s.files::int, s.bytes::int, f.files::int as expected_files, f.bytes::int as expected_bytes
      from project_storage s,
           (select count(*) as files, sum(size) as bytes
              from (select size from attachment where project_id = ${its}
                    union all select size from artifact where project_id = ${its}) f) f
     where s.project_id = ${its}`);
  assert.deepEqual(counted, { files: 8, bytes: 156, expected_files: 8, expected_bytes: 156 });
  await db.many(sql`delete from task where id = ${first}`);
  const { files: left } = await db.one<{ files: number }>(sql`
    select files::int from project_storage where project_id = ${its}`);
  assert.equal(left, 3);
});
