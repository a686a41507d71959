import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { FileStoreUnavailable } from '../../platform/files/file-store.ts';
import { removeDeleted } from '../../platform/files/remove-deleted.ts';
import { dumpOf, manifestOf, type ZipEntry, zipOf } from '../../testing/fixtures/erp/zips.ts';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const MIB = 1024 * 1024;
const disk = diskStore(await temporaryFolder());
let broken: 'put' | 'get' | undefined;
const harness = await startHarness({
  env: { FILES_PER_PROJECT_MB: '2', ERP_DUMP_MAX_MB: '1' },
  erpsOfDumps: ['18.0 community', '18.0 enterprise', '19.0 community'],
  files: {
    ...disk,
    put: (...args) =>
      broken === 'put' ? Promise.reject(new FileStoreUnavailable('no space')) : disk.put(...args),
    get: (...args) => {
      if (broken !== 'get') return disk.get(...args);
      const bytes = disk.get(...args);
      queueMicrotask(() => bytes.destroy(new FileStoreUnavailable('no answer')));
      return bytes;
    },
  },
});
const { db, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);

const makeProject = () => fixtures.project({ organizationId: workspace });
const pathOf = (project: string) => `/api/projects/${project}/odoo-dump`;
const get = (project: string, { key }: Pick<User, 'key'> = owner) =>
  request('GET', pathOf(project), { key });
const upload = (
  project: string,
  raw: Buffer = dumpOf(),
  { query = 'production=false', key = owner.key }: { query?: string; key?: string } = {},
) => request('PUT', `${pathOf(project)}?${query}`, { key, raw });

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of disk.list()) keys.push(...page.map(({ key }) => key));
  return keys;
}

/** Sends a file that is refused: nothing of it is left. */
async function refused(
  project: string,
  raw: Buffer,
  [status, code]: [number, string],
  options?: Parameters<typeof upload>[2],
) {
  const before = await stored();
  const reply = await unchanged(() => upload(project, raw, options));
  const found = Array.isArray(reply.body.detail) ? reply.body.detail[0].type : reply.body.code;
  assert.deepEqual([reply.status, found], [status, code]);
  assert.deepEqual(await stored(), before);
  return reply;
}

test('201: it is stored, is being prepared, and is shown to whoever opens the project', async () => {
  const project = await makeProject();
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  assert.deepEqual(
    [(await get(project)).status, (await get(project)).body.code],
    [404, 'odoo_dump_not_found'],
  );
  const bytes = dumpOf();
  const { status, body } = await upload(project, bytes);
  assert.equal(status, 201);
  assert.deepEqual(
    [body.status, body.erp_version, body.size, body.production, body.approved_by_user_id],
    ['preparing', '18.0', bytes.length, false, undefined],
  );
  assert.equal(body.uploaded_by_user_id, owner.id);
  assert.deepEqual((await get(project, viewer)).body, body);
  const row = await db.one<{ key: string }>(sql`
    select storage_key as key from odoo_dump where id = ${body.id}`);
  assert.ok((await stored()).includes(row.key));
});

test('201: another one replaces it, and the bytes of the first are removed', async () => {
  const project = await makeProject();
  const first = await upload(project);
  const second = await upload(project, dumpOf('18.0', [{ name: 'filestore/aa/bb', data: 'x' }]));
  assert.notEqual(second.body.id, first.body.id);
  const left = await db.many<{ id: string; key: string }>(sql`
    select id, storage_key as key from odoo_dump where project_id = ${project}`);
  assert.deepEqual(
    left.map(({ id }) => id),
    [second.body.id],
  );
  await removeDeleted(db, disk);
  const keys = (await stored()).filter((key) => key.startsWith(project));
  assert.deepEqual(
    keys,
    left.map(({ key }) => key),
  );
  const { bytes } = await db.one<{ bytes: bigint }>(sql`
    select bytes from project_storage where project_id = ${project}`);
  assert.equal(Number(bytes), second.body.size);
});

test('race: of uploads at once one is left, and its bytes alone', async () => {
  const project = await makeProject();
  const replies = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      upload(project, dumpOf('18.0', [{ name: 'filestore/aa/bb', data: `${n}` }])),
    ),
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  const rows = await db.many<{ id: string; key: string }>(sql`
    select id, storage_key as key from odoo_dump where project_id = ${project}`);
  assert.equal(rows.length, 1);
  assert.ok(replies.some(({ body }) => body.id === rows[0]?.id));
  await removeDeleted(db, disk);
  assert.deepEqual(
    (await stored()).filter((key) => key.startsWith(project)),
    [rows[0]?.key],
  );
});

test('204: it is deleted with its bytes, and with its project', async () => {
  const project = await makeProject();
  await upload(project);
  const gone = await request('DELETE', pathOf(project), { key: owner.key });
  assert.equal(gone.status, 204);
  const again = await unchanged(() => request('DELETE', pathOf(project), { key: owner.key }));
  assert.deepEqual([again.status, again.body.code], [404, 'odoo_dump_not_found']);
  await upload(project);
  const deleted = await request('DELETE', `/api/projects/${project}`, { key: owner.key });
  assert.equal(deleted.status, 200);
  assert.equal(deleted.body.files_deleted, 1);
  await removeDeleted(db, disk);
  assert.deepEqual(
    (await stored()).filter((key) => key.startsWith(project)),
    [],
  );
});

test('a copy of a production system needs the word of a person', async () => {
  const project = await makeProject();
  const production = (more = '') => ({ query: `production=true${more}` });
  await refused(project, dumpOf(), [422, 'missing'], { query: '' });
  await refused(project, dumpOf(), [422, 'approval_required'], production());
  await refused(
    project,
    dumpOf(),
    [422, 'approval_required'],
    production('&approve_production=false'),
  );
  const service = await fixtures.serviceAccount(workspace, { role: 'admin' });
  const approved = production('&approve_production=true');
  const ofService = { ...approved, key: service.key };
  await refused(project, dumpOf(), [403, 'approval_needs_person'], ofService);
  // A copy of another system needs no approval.
  assert.equal((await upload(project, dumpOf(), { key: service.key })).status, 201);
  const { status, body } = await upload(project, dumpOf(), approved);
  assert.equal(status, 201);
  assert.deepEqual([body.production, body.approved_by_user_id], [true, owner.id]);
  const { after, before } = await db.one<{ after: object; before: object }>(sql`
    select after, before from audit_event
     where target_id = ${body.id} and action = 'odoo_dump.upload'`);
  const { size, sha256 } = body;
  assert.deepEqual(after, { size, sha256, production: true, erp_version: '18.0' });
  assert.deepEqual(Object.keys(before).sort(), ['production', 'sha256']);
  await assert.rejects(
    db.many(sql`
      update odoo_dump set approved_by_user_id = null where id = ${body.id} returning id`),
  );
});

test('409: for a version without a program that prepares dumps', async () => {
  const project = await makeProject();
  await db.many(sql`update project set erp_version = '17.0' where id = ${project}`);
  await refused(project, dumpOf('17.0'), [409, 'odoo_dumps_not_prepared']);
});

test('409, 413: a dump has room among the files of its project, which the one before it leaves', async () => {
  const project = await makeProject();
  const large = (bytes: number) =>
    dumpOf('18.0', [{ name: 'filestore/aa/bb', data: Buffer.alloc(bytes, 'x'), stored: true }]);
  await refused(project, large(MIB), [413, 'body_too_large']);
  assert.equal((await upload(project, large(0.9 * MIB))).status, 201);
  const task = await fixtures.task(project, owner);
  const attached = await request('POST', `/api/tasks/${task}/attachments?filename=a`, {
    key: owner.key,
    raw: Buffer.alloc(MIB),
  });
  assert.equal(attached.status, 201);
  assert.equal((await upload(project, large(0.95 * MIB))).status, 201);
  const more = await request('POST', `/api/tasks/${task}/attachments?filename=b`, {
    key: owner.key,
    raw: Buffer.alloc(0.1 * MIB),
  });
  assert.equal(more.body.code, 'storage_full');
});

const SQL = { name: 'dump.sql', data: 'select 1;' };
const MANIFEST = { name: 'manifest.json', data: manifestOf('18.0') };
const beside = (...entries: ZipEntry[]) => zipOf([SQL, MANIFEST, ...entries]);
const WRONG: Record<string, [Buffer, string]> = {
  'an empty file': [Buffer.alloc(0), 'odoo_dump_not_zip'],
  'a dump as text': [Buffer.from('create table a ();\n'.repeat(100)), 'odoo_dump_not_zip'],
  'a zip that was cut': [dumpOf().subarray(0, -30), 'odoo_dump_not_zip'],
  'a zip whose directory is elsewhere': [
    Buffer.concat([dumpOf().subarray(0, 40), dumpOf().subarray(-22)]),
    'odoo_dump_not_zip',
  ],
  'a zip without dump.sql': [zipOf([MANIFEST]), 'odoo_dump_incomplete'],
  'a zip with an empty dump.sql': [zipOf([{ ...SQL, data: '' }, MANIFEST]), 'odoo_dump_incomplete'],
  'a zip without manifest.json': [zipOf([SQL]), 'odoo_dump_incomplete'],
  'a manifest that is none': [zipOf([SQL, { ...MANIFEST, data: '[' }]), 'odoo_dump_incomplete'],
  'a manifest without a version': [
    zipOf([SQL, { ...MANIFEST, data: '{"version_info": 1}' }]),
    'odoo_dump_incomplete',
  ],
  'a manifest that is damaged': [
    zipOf([SQL, { ...MANIFEST, says: MANIFEST.data.length - 1 }]),
    'odoo_dump_not_zip',
  ],
  'a manifest with a version of lists in lists': [
    zipOf([SQL, { ...MANIFEST, data: `{"version_info": ${'['.repeat(1e5)}${']'.repeat(1e5)}}` }]),
    'odoo_dump_incomplete',
  ],
  'dump.sql in a folder': [
    zipOf([{ ...SQL, name: 'a/dump.sql' }, MANIFEST]),
    'odoo_dump_incomplete',
  ],
  'another version': [dumpOf('17.0'), 'odoo_dump_version'],
  'modules of the Enterprise edition': [
    zipOf([SQL, { ...MANIFEST, data: manifestOf('18.0', { modules: { web_enterprise: '1' } }) }]),
    'odoo_dump_edition',
  ],
  'a name that leads out': [beside({ name: 'filestore/../../a' }), 'odoo_dump_unsafe'],
  'an absolute name': [beside({ name: '/etc/passwd' }), 'odoo_dump_unsafe'],
  'a name of another system': [beside({ name: 'filestore\\a' }), 'odoo_dump_unsafe'],
  'a name with a drive': [beside({ name: 'C:/a' }), 'odoo_dump_unsafe'],
  'a name with a line': [beside({ name: 'filestore/a\nb' }), 'odoo_dump_unsafe'],
  'a name that no file has': [beside({ name: `filestore/${'a'.repeat(500)}` }), 'odoo_dump_unsafe'],
  'a link': [beside({ name: 'filestore/aa', data: '/etc', mode: 0o120_777 }), 'odoo_dump_unsafe'],
  'a device': [beside({ name: 'filestore/aa', mode: 0o020_666 }), 'odoo_dump_unsafe'],
  'a file twice': [beside(SQL), 'odoo_dump_unsafe'],
  'an encrypted file': [
    beside({ name: 'filestore/aa', data: 'x', encrypted: true }),
    'odoo_dump_unsafe',
  ],
  'a bomb': [
    beside({ name: 'filestore/aa', data: Buffer.alloc(2 * MIB) }),
    'odoo_dump_unpacks_too_large',
  ],
  'many large files': [
    beside(...['a', 'b', 'c'].map((name) => ({ name, data: 'x'.repeat(20_000), says: 3.9e6 }))),
    'odoo_dump_unpacks_too_large',
  ],
};

test('422: what is no backup of Odoo for this project, or could not be unpacked safely', async () => {
  const project = await makeProject();
  await upload(project);
  for (const [what, [bytes, code]] of Object.entries(WRONG)) {
    const reply = await refused(project, bytes, [422, code]);
    assert.deepEqual(reply.body.detail[0].loc, ['body'], what);
  }
  await db.many(sql`update project set erp_edition = 'enterprise' where id = ${project}`);
  assert.equal(
    (await upload(project, WRONG['modules of the Enterprise edition']?.[0])).status,
    201,
  );
});

test('503: a store that cannot be used says so, and nothing is stored', async () => {
  const project = await makeProject();
  for (const at of ['put', 'get'] as const) {
    broken = at;
    const reply = await unchanged(() => upload(project)).finally(() => {
      broken = undefined;
    });
    assert.deepEqual([reply.status, reply.body.code], [503, 'file_store_unavailable'], at);
  }
});

test('what a dump is never changes, and one that has failed stays so', async () => {
  const project = await makeProject();
  const id = await fixtures.odooDump(project, owner, { state: 'failed' });
  await assert.rejects(
    db.many(sql`update odoo_dump set sha256 = ${'1'.repeat(64)} where id = ${id}`),
  );
  await assert.rejects(
    db.many(sql`update odoo_dump set state = 'preparing', reason = null where id = ${id}`),
    { code: '23000' },
  );
  assert.equal((await get(project)).body.reason, 'It cannot be read.');
});
