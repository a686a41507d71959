import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../testing/fakes/mail-server/mail-server.ts';
import {
  inviteLink,
  outboxOn,
  readableLog,
  smtpTo,
  workerOn,
} from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { MAX_ATTEMPTS, RETRY_AFTER_MS } from './outbox.ts';
import type { SmtpOptions } from './smtp-transport.ts';

/** What a mail server answers, and what becomes of the row; each with a real server. */

const { db, fixtures } = await startHarness({ own: true });
const { queue, row, comeDue } = outboxOn(db, fixtures);

async function post(server: MailServerOptions = {}, client: Partial<SmtpOptions> = {}) {
  const remote = await startMailServer(server);
  const { log, lines } = readableLog();
  const transport = await smtpTo(remote.port, client);
  const worker = workerOn(db, transport, { log, finishWithin: 100 });
  after(async () => {
    await worker.close();
    await remote.close();
  });
  return { remote, worker, lines };
}

/** The row waits for its next attempt, which is a minute away, give or take a fifth. */
async function assertDeferred(id: string, error: RegExp, attempts = 1): Promise<void> {
  const { status, due_in, last_error, ...rest } = await row(id);
  assert.deepEqual([status, rest.attempts, rest.ended], ['queued', attempts, false]);
  assert.match(last_error ?? '', error);
  const pause = (RETRY_AFTER_MS[attempts - 1] ?? 0) / 1_000;
  assert.ok(due_in !== null && due_in > pause * 0.75 && due_in <= pause * 1.2, `${due_in}`);
}

async function assertDead(id: string, error: RegExp, attempts = 1): Promise<void> {
  const { status, due_in, last_error, ...rest } = await row(id);
  assert.deepEqual([status, rest.attempts, due_in, rest.ended], ['dead', attempts, null, true]);
  assert.match(last_error ?? '', error);
}

const ids = (remote: MailServer) => remote.received.map(({ messageId }) => messageId);

test('accepted: the row is sent, and the server got one encrypted message with the link', async () => {
  const { remote, worker, lines } = await post();
  const mail = await queue({ email: 'eve@example.com' });
  await worker.round();
  const { status, attempts, due_in, last_error, ended } = await row(mail.id);
  assert.deepEqual([status, attempts, due_in, last_error, ended], ['sent', 1, null, null, true]);
  const [message] = remote.received;
  assert.equal(remote.received.length, 1);
  assert.deepEqual(
    [message?.recipient, message?.secure, message?.messageId],
    ['eve@example.com', true, `<${mail.id}@guild.example>`],
  );
  const text = message?.raw.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '';
  assert.ok(text.includes(inviteLink(mail.invitation, 1)));
  assert.match(message?.raw ?? '', /^Auto-Submitted: auto-generated$/m);
  await worker.round();
  assert.equal(remote.received.length, 1, 'it is sent once');
  const log = lines.join('');
  assert.ok(log.includes(mail.id) && !log.includes('token') && !log.includes('eve@example.com'));
});

test('a login is sent where the server requires one; a wrong one delays the mail and is in no row and no log', async () => {
  const login = { user: 'me@example.com', password: 'p@ss:/%wörd hunter2' };
  const { remote, worker } = await post({ login }, { login });
  const mail = await queue();
  await worker.round();
  assert.equal((await row(mail.id)).status, 'sent');
  assert.deepEqual(
    remote.received.map(({ user, secure }) => [user, secure]),
    [[login.user, true]],
  );

  const wrong = { ...login, password: 'hunter3-wrong' };
  const refused = await post({ login }, { login: wrong });
  const { id } = await queue();
  await refused.worker.round();
  await assertDeferred(id, /^AUTH PLAIN: 535 5\.7\.8 Wrong user or password$/);
  assert.deepEqual(refused.remote.received, []);
  assert.ok(!refused.lines.join('').includes('hunter3'));

  const none = await post({ login });
  await none.worker.round();
  const anonymous = await queue();
  await none.worker.round();
  await assertDeferred(anonymous.id, /^MAIL FROM: 530 /);
});

test('a recipient that is refused (550) is dead at once; the connection serves the next mail', async () => {
  const { remote, worker, lines } = await post({
    toRecipient: '550 5.1.1 <dan@example.com>: no such user',
  });
  const { id } = await queue({ email: 'dan@example.com' });
  await worker.round();
  await assertDead(id, /^RCPT TO: 550 5\.1\.1 <dan@example\.com>: no such user$/);
  assert.ok(!lines.join('').includes('dan@example.com'));
  assert.deepEqual(remote.received, []);
  remote.behave({});
  const next = await queue();
  await worker.round();
  assert.equal((await row(next.id)).status, 'sent');
  assert.equal(remote.connections(), 1);
});

test('a message that is refused (554) is dead at once; what the server quotes of the link is not stored', async () => {
  const { remote, worker } = await post();
  const mail = await queue();
  const link = inviteLink(mail.invitation, 1);
  remote.behave({ toMessage: `554 5.7.1 Blocked: ${link}` });
  await worker.round();
  const token = new URL(link).searchParams.get('token') as string;
  await assertDead(
    mail.id,
    /^DATA: 554 5\.7\.1 Blocked: https:\/\/guild\.example\/.*\?token=\*\*\*$/,
  );
  assert.ok(!((await row(mail.id)).last_error ?? '').includes(token));
});

test('deferred (451), then accepted: two attempts with the same Message-ID', async () => {
  const { remote, worker } = await post({ toRecipient: '451 4.7.1 Greylisted, try again' });
  const { id } = await queue();
  await worker.round();
  await assertDeferred(id, /^RCPT TO: 451 4\.7\.1 Greylisted, try again$/);
  await worker.round();
  assert.equal((await row(id)).attempts, 1, 'not before its time');
  remote.behave({ toMessage: '452 4.3.1 Out of space' });
  await comeDue(id);
  await worker.round();
  await assertDeferred(id, /^DATA: 452 4\.3\.1 Out of space$/, 2);
  remote.behave({});
  await comeDue(id);
  await worker.round();
  const { status, attempts, last_error } = await row(id);
  assert.deepEqual([status, attempts, last_error], ['sent', 3, null]);
  assert.deepEqual(ids(remote), Array(2).fill(`<${id}@guild.example>`));
});

test('a sender that is refused (550), or a server that ends the session (421), delays the mail: an operator can correct that', async () => {
  const sender = await post({ toSender: '550 5.7.1 <no-reply@guild.example> is not yours' });
  const first = await queue();
  await sender.worker.round();
  await assertDeferred(first.id, /^MAIL FROM: 550 5\.7\.1 /);
  const busy = await post({ toRecipient: '421 4.3.2 Shutting down' });
  const second = await queue();
  await busy.worker.round();
  await assertDeferred(second.id, /421 4\.3\.2 Shutting down/);
});

test('a server that relays for nobody without a login says so at the recipient: that delays the mail, too', async () => {
  for (const said of [
    '554 5.7.1 <eve@example.com>: Relay access denied',
    '550 relay not permitted',
    '550 5.7.1 Unable to relay',
  ]) {
    const { remote, worker } = await post({ toRecipient: said });
    const { id } = await queue();
    await worker.round();
    await assertDeferred(id, /^RCPT TO: 55[04] /);
    remote.behave({});
    await comeDue(id);
    await worker.round();
    assert.equal((await row(id)).status, 'sent');
  }
});

test('the pauses grow to half a day, and the eighth failure is the last', async () => {
  const { worker } = await post({ toRecipient: '450 4.2.1 Mailbox busy' });
  const { id } = await queue();
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    await worker.round();
    await assertDeferred(id, /^RCPT TO: 450/, attempt);
    await comeDue(id);
  }
  await worker.round();
  await assertDead(id, /^RCPT TO: 450 4\.2\.1 Mailbox busy$/, MAX_ATTEMPTS);
  const day = RETRY_AFTER_MS.reduce((sum, pause) => sum + pause, 0) / 3_600_000;
  assert.ok(MAX_ATTEMPTS === 8 && day > 23 && day < 26, `${day} hours`);
});

test('the answer that is stored is one line and bounded', async () => {
  const { worker } = await post({ toRecipient: `451 ${'long '.repeat(190)}` });
  const { id } = await queue();
  await worker.round();
  const { last_error } = await row(id);
  assert.equal(last_error?.length, 400);
  assert.doesNotMatch(last_error ?? '', /\p{C}/u);
});

test('an attempt whose process died eight times is not repeated for ever', async () => {
  const { worker, remote } = await post();
  const { id } = await queue();
  await db.many(sql`update mail set attempts = ${MAX_ATTEMPTS} where id = ${id}`);
  await worker.round();
  await assertDead(id, /its outcome is unknown/, MAX_ATTEMPTS + 1);
  assert.deepEqual(remote.received, []);
});
