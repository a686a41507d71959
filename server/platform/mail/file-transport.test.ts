import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import {
  inviteLink,
  outboxOn,
  readableLog,
  workerOn,
} from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { fileTransport } from './file-transport.ts';

/** Mail without a mail server: files, made by a real worker on a real outbox. */

const { db, fixtures } = await startHarness({ own: true });
const { queue, row } = outboxOn(db, fixtures);
const directory = await mkdtemp(join(tmpdir(), 'guildhall-mail-'));
after(() => rm(directory, { recursive: true }));
const folder = join(directory, 'data', 'mail');
const { log, lines } = readableLog();
const worker = workerOn(db, fileTransport(folder, log), { log });

test('a mail becomes a file that only this user may read, and the log says where, without the link', async () => {
  const mail = await queue({ email: 'eve@example.com' });
  await worker.round();
  const [name = '', ...others] = await readdir(folder);
  assert.deepEqual(others, []);
  assert.match(name, new RegExp(`^\\d{8}T\\d{6}Z-${mail.id}\\.eml$`));
  const file = join(folder, name);
  assert.deepEqual(
    [(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777],
    [0o700, 0o600],
  );
  const raw = await readFile(file, 'utf8');
  assert.match(raw, /^To: eve@example\.com$/m);
  const text = raw.replaceAll('=\n', '').replaceAll('=3D', '=');
  assert.ok(text.includes(`\n${inviteLink(mail.invitation, 1)}\n`), raw);
  assert.ok(lines.some((line) => line.includes(JSON.stringify(file))));
  assert.ok(!lines.join('').includes('token') && !lines.join('').includes('eve@example.com'));
  assert.deepEqual(await row(mail.id), {
    id: mail.id,
    kind: 'workspace_invitation',
    recipient: 'eve@example.com',
    status: 'sent',
    attempts: 1,
    due_in: null,
    last_error: null,
    ended: true,
  });
});

test('mail of an invitation that is not open any more is obsolete, and nothing is written', async () => {
  const before = await readdir(folder);
  const [revoked, renewed] = [await queue(), await queue()];
  await db.many(sql`update invitation set status = 'revoked' where id = ${revoked.invitation}`);
  await db.many(sql`update invitation set generation = 2 where id = ${renewed.invitation}`);
  await worker.round();
  for (const { id } of [revoked, renewed])
    assert.deepEqual([(await row(id)).status, (await row(id)).ended], ['obsolete', true]);
  assert.deepEqual(await readdir(folder), before);
});

test('a kind that this version does not know stays for one that does', async () => {
  const { id } = await db.one<{ id: string }>(sql`
    insert into mail (kind, recipient, subject_id)
      values ('sign_in_link', 'eve@example.com', uuid_v7()) returning id`);
  await worker.round();
  assert.deepEqual([(await row(id)).status, (await row(id)).attempts], ['queued', 0]);
});

test('a folder that cannot be written delays the mail and says what to set', async () => {
  const blocked = join(directory, 'blocked');
  await writeFile(blocked, '');
  const { id } = await queue();
  await workerOn(db, fileTransport(join(blocked, 'mail'), log)).round();
  const { status, attempts, last_error } = await row(id);
  assert.deepEqual([status, attempts], ['queued', 1]);
  assert.match(last_error ?? '', /^SMTP_URL is not set, and .*blocked\/mail cannot be written/);
});
