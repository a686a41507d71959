import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { expiryMail } from './expiry-mail.ts';
import { warnOfExpiry } from './warn-of-expiry.ts';

const { db, fixtures, request } = await startHarness();
const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY);

async function projectOf() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const [admin, member] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  const project = await fixtures.project({ organizationId: workspace });
  return { owner, admin, member, project };
}

const mails = (connection: string) =>
  db.many<{ recipient: string; level: string; subjectId: string }>(sql`
    select m.recipient, w.level, w.id as "subjectId"
      from mail m join odoo_expiry_warning w on w.id = m.subject_id
     where m.kind = 'odoo_expiry' and w.connection_id = ${connection} order by w.id`);
const events = async (connection: string) =>
  (
    await db.many<{ type: string }>(sql`
      select type from event where target_id = ${connection} order by id`)
  ).map(({ type }) => type);

test('two servers that look at once warn once: an event, and a mail to each admin who wants it', async () => {
  const { owner, admin, project } = await projectOf();
  const id = await fixtures.odooConnection(project, { expiresAt: inDays(13) });
  const later = await fixtures.odooConnection(project, { expiresAt: inDays(15) });
  await db.many(sql`update app_user set mail_warnings = false where id = ${admin.id}`);
  await Promise.all([warnOfExpiry(db), warnOfExpiry(db)]);
  await warnOfExpiry(db);
  const sent = await mails(id);
  assert.deepEqual(
    sent.map(({ recipient, level }) => [recipient, level]),
    [[owner.email, 'expires']],
  );
  assert.deepEqual(await events(id), ['odoo_connection.secret_expires']);
  assert.deepEqual([await mails(later), await events(later)], [[], []]);
  const made = await expiryMail(db, 'https://guildhall.example')(sent[0] as never);
  assert.ok(made !== 'obsolete' && made.link.url.endsWith(project));
  // With another secret there is nothing to warn of.
  await db.many(sql`update odoo_connection set secret_expires_at = ${inDays(90)} where id = ${id}`);
  assert.equal(await expiryMail(db, 'https://guildhall.example')(sent[0] as never), 'obsolete');
});

test('once it has expired, people are told again; then no more', async () => {
  const { project } = await projectOf();
  const id = await fixtures.odooConnection(project, { expiresAt: inDays(2) });
  await warnOfExpiry(db);
  await db.many(sql`
    update odoo_connection set secret_expires_at = secret_expires_at - interval '3 days',
           warned_of_expiry = warned_of_expiry - interval '3 days' where id = ${id}`);
  await Promise.all([warnOfExpiry(db), warnOfExpiry(db)]);
  await warnOfExpiry(db);
  assert.deepEqual(await events(id), [
    'odoo_connection.secret_expires',
    'odoo_connection.secret_expired',
  ]);
  assert.deepEqual(
    (await mails(id)).map(({ level }) => level),
    ['expires', 'expires', 'expired', 'expired'],
  );
});

test('members, and connections without a secret, are not warned; the event shows no secret', async () => {
  const { member, project, owner } = await projectOf();
  const without = await fixtures.odooConnection(project, { secret: null, expiresAt: inDays(1) });
  const id = await fixtures.odooConnection(project, { expiresAt: inDays(1) });
  await warnOfExpiry(db);
  assert.deepEqual([await mails(without), await events(without)], [[], []]);
  assert.ok((await mails(id)).every(({ recipient }) => recipient !== member.email));
  const { text } = await request('GET', `/api/projects/${project}/odoo-connections`, {
    key: owner.key,
  });
  assert.ok(!text.includes('planted'));
});
