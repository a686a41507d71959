import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { startMailServer } from '../server/testing/fakes/mail-server/mail-server.ts';
import { outboxOn, smtpTo, workerOn } from '../server/testing/fixtures/identity/mail.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall mail`, in processes of its own, on an outbox whose mail a real server refused. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const env = { DATABASE_URL: clone.url };
const { queue, row } = outboxOn(db);
const remote = await startMailServer();
const worker = workerOn(db, await smtpTo(remote.port));
after(async () => {
  await worker.close();
  await remote.close();
  await db.close();
  await clone.drop();
});

/** A mail that the server answered like this. */
async function answered(line: string, email?: string) {
  const mail = await queue(email === undefined ? {} : { email });
  remote.behave({ toRecipient: line });
  await worker.round();
  remote.behave({});
  return mail;
}

const audited = () =>
  db.many<{ target_id: string; request_id: string; actor_user_id: string | null }>(sql`
    select target_id, request_id, actor_user_id from audit_event where action = 'mail.resend'
     order by id`);

/** Runs a command that must be refused, and asserts that nothing changed. */
async function refused(args: string[], status: number, reason: RegExp): Promise<void> {
  const everything = () =>
    db.many(sql`select *, (select count(*) from audit_event) from mail order by id`);
  const before = await everything();
  const { code, out, err } = await runCommand(['mail', ...args], { env });
  assert.deepEqual({ code, out }, { code: status, out: '' });
  assert.match(err, reason);
  assert.deepEqual(await everything(), before);
}

test('an empty outbox is said to be one', async () => {
  assert.equal((await runCommand(['mail', 'list'], { env })).out, 'There is no mail.\n');
  const dead = await runCommand(['mail', 'list', '--status', 'dead'], { env });
  assert.equal(dead.out, 'There is no dead mail.\n');
  assert.deepEqual(await jsonOf(['mail', 'list'], { env }), []);
});

test('a list shows each mail with its status, attempts, age and last error, newest first', async () => {
  const sent = await queue({ email: 'ann@example.com' });
  await worker.round();
  const dead = await answered('550 5.1.1 No such user', 'bea@example.com');
  const waiting = await answered(`451 4.7.1 ${'Later '.repeat(30)}`, 'cleo@example.com');
  await db.many(sql`update mail set created_at = now() - interval '5 hours' where id = ${sent.id}`);

  const { out } = await runCommand(['mail', 'list'], { env });
  const [head, ...lines] = out.trimEnd().split('\n');
  assert.match(head ?? '', /^ID +KIND +RECIPIENT +STATUS +ATTEMPTS +AGE +LAST ERROR$/);
  const cells = lines.map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    cells.map(([id]) => id),
    [waiting.id, dead.id, sent.id],
  );
  assert.deepEqual(cells[2]?.slice(1), [
    'workspace_invitation',
    'ann@example.com',
    'sent',
    '1',
    '5 h',
    '-',
  ]);
  assert.match(
    lines[1] ?? '',
    / bea@example\.com +dead +1 +\d+ s +RCPT TO: 550 5\.1\.1 No such user$/,
  );
  assert.match(
    lines[0] ?? '',
    / cleo@example\.com +queued +1 +\d+ s +RCPT TO: 451 4\.7\.1 Later .*…$/,
  );

  const [listed, ...others] = await jsonOf(['mail', 'list', '--status', 'dead'], { env });
  assert.deepEqual(others, []);
  const { created_at, ended_at, ...rest } = listed;
  assert.ok(Date.parse(created_at) <= Date.parse(ended_at));
  assert.deepEqual(rest, {
    id: dead.id,
    kind: 'workspace_invitation',
    recipient: 'bea@example.com',
    status: 'dead',
    attempts: 1,
    last_error: 'RCPT TO: 550 5.1.1 No such user',
  });
  const newest = await jsonOf(['mail', 'list', '--limit', '1'], { env });
  assert.deepEqual(
    newest.map(({ id }: { id: string }) => id),
    [waiting.id],
  );
  assert.ok(newest[0].next_attempt_at > created_at);
});

test('a dead mail is sent again with all its attempts, and the audit trail records it', async () => {
  const { id } = await answered('550 5.1.1 No such user');
  assert.deepEqual(await jsonOf(['mail', 'resend', id], { env }), { resent: 1 });
  const { status, attempts, due_in, ended } = await row(id);
  assert.deepEqual([status, attempts, ended], ['queued', 0, false]);
  assert.ok(due_in !== null && due_in <= 0);
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
  assert.deepEqual((await audited()).at(-1), {
    target_id: id,
    request_id: 'cli',
    actor_user_id: null,
  });
  await refused(['resend', id], 1, /^This mail was sent\./);
});

test('a mail that waits for hours is tried now; one that is being sent is left alone', async () => {
  const { id } = await answered('451 4.7.1 Later');
  await refused(
    ['resend', id],
    1,
    /^This mail is being sent, or is tried again within two minutes/,
  );
  await db.many(sql`update mail set next_attempt_at = now() + interval '3 hours' where id = ${id}`);
  const { out } = await runCommand(['mail', 'resend', id], { env });
  assert.equal(out, '1 mail is due again. A running server sends it.\n');
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
});

test('--all-dead sends every dead mail again, each with a row of the audit trail', async () => {
  const before = (await audited()).length;
  const [{ dead }] = (await db.many(sql`
    with more as (
      insert into mail (kind, recipient, subject_id, status, next_attempt_at, ended_at)
      select 'workspace_invitation', 'eve@example.com', gen_random_uuid(), 'dead', null, now()
        from generate_series(1, 600) returning id)
    select ((select count(*) from mail where status = 'dead') + (select count(*)
      from more))::int as dead`)) as [{ dead: number }];
  assert.deepEqual(await jsonOf(['mail', 'resend', '--all-dead'], { env }), { resent: dead });
  assert.equal((await audited()).length - before, dead);
  assert.deepEqual(await jsonOf(['mail', 'list', '--status', 'dead'], { env }), []);
  const none = await runCommand(['mail', 'resend', '--all-dead'], { env });
  assert.equal(none.out, 'There is no dead mail.\n');
});

test('mail of an invitation that is gone is not sent again, and unknown mail neither', async () => {
  const { id, invitation } = await queue();
  await db.many(sql`update invitation set status = 'revoked' where id = ${invitation}`);
  await worker.round();
  await refused(['resend', id], 1, /^The invitation of this mail was accepted, revoked/);
  const unknown = '00000000-0000-4000-8000-000000000000';
  await refused(['resend', unknown], 1, /^No mail has this id\./);
});

test('wrong arguments are sentences and status 2', async () => {
  const { id } = await queue();
  await refused(['list', '--status', 'lost'], 2, /one of queued, sent, dead, obsolete/);
  await refused(['list', '--limit', '0'], 2, /a number from 1 to 1000/);
  await refused(['resend', 'x'], 2, /not the id of a mail: `mail list` shows the ids/);
  await refused(['resend'], 2, /^Give either the id of a mail or --all-dead\. Add --help/);
  await refused(['resend', id, '--all-dead'], 2, /^Give either the id of a mail or --all-dead/);
});
