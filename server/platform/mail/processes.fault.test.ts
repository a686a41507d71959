import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '../../db/database/database.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { outboxOn, smtpTo, workerOn } from '../../testing/fixtures/identity/mail.ts';
import { fixturesOn } from '../../testing/fixtures/tenants.ts';
import { serve as startServer } from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';

/** Several processes that send the mail of one database, and processes that end meanwhile. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const { queue, row, comeDue } = outboxOn(db, fixtures);
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await db.close();
  await clone.drop();
});

async function mailServer(...args: Parameters<typeof startMailServer>) {
  const server = await startMailServer(...args);
  after(server.close);
  return server;
}

/** Encryption is off by default on this machine. */
async function serve(port: number, env: Record<string, string> = {}) {
  const SMTP_URL = `smtp://localhost:${port}`;
  const served = await startServer({ DATABASE_URL: clone.url, SMTP_URL, ...env });
  children.push(served.child);
  return served;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('four workers on one table send each of 200 mails once', async () => {
  const remote = await mailServer();
  const mails = await Promise.all(Array.from({ length: 200 }, () => queue()));
  const databases: Database[] = Array.from({ length: 4 }, () => openDatabase({ url: clone.url }));
  const workers = await Promise.all(
    databases.map(async (database) => workerOn(database, await smtpTo(remote.port))),
  );
  await Promise.all(workers.map((worker) => worker.round()));
  const sent = remote.received.map(({ messageId }) => messageId).toSorted();
  assert.deepEqual(sent, mails.map(({ id }) => `<${id}@guild.example>`).toSorted());
  for (const { id } of mails) {
    const { status, attempts } = await row(id);
    assert.deepEqual([status, attempts], ['sent', 1]);
  }
  await Promise.all(workers.map((worker) => worker.close()));
  await Promise.all(databases.map((database) => database.close()));
});

test('an invitation made over the API arrives within seconds, with a link that its list shows too', async () => {
  const remote = await mailServer();
  const { url, child } = await serve(remote.port);
  const owner = await fixtures.user({ name: 'Ada' });
  const workspace = await fixtures.workspace(owner, { name: 'Acme' });
  const path = `${url}/api/organizations/${workspace}/invitations`;
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
  const answer = await fetch(path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'kim@example.com', role: 'member' }),
  });
  assert.equal(answer.status, 201);
  await until('the mail arrives', () => remote.received.length === 1);
  const [invitation] = (await (await fetch(path, { headers })).json()) as { invite_link: string }[];
  const text = remote.received[0]?.raw.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '';
  // The mail alone has what proves that its reader has the address.
  assert.ok(text.includes(`\n${invitation?.invite_link}&proof=`), text);
  assert.match(text, /^Subject: Ada invited you to Acme$/m);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the login and the encryption of SMTP_URL, the sender of MAIL_FROM, and an authority of one’s own', async () => {
  const login = { user: 'me@example.com', password: 'p@ss:/%wörd' };
  const remote = await mailServer({ encryption: 'tls', login });
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-authority-'));
  after(() => rm(directory, { recursive: true }));
  const authority = join(directory, 'authority.pem');
  await writeFile(authority, LOCALHOST.cert);
  const [user, password] = [login.user, login.password].map(encodeURIComponent);
  const env = {
    SMTP_URL: `smtps://${user}:${password}@localhost:${remote.port}`,
    MAIL_FROM: 'Acme, Inc. <crew@acme.example>',
  };
  const stranger = await serve(remote.port, env);
  const { id } = await queue();
  await until('it is refused', async () => (await row(id)).last_error !== null);
  assert.match((await row(id)).last_error ?? '', /self-signed certificate/);
  await kill(stranger.child);

  const { child } = await serve(remote.port, { ...env, NODE_EXTRA_CA_CERTS: authority });
  await comeDue(id);
  await until('it is sent', async () => (await row(id)).status === 'sent');
  const [message] = remote.received;
  assert.deepEqual([message?.user, message?.secure], [login.user, true]);
  assert.match(message?.raw ?? '', /^From: "Acme, Inc\." <crew@acme\.example>$/m);
  assert.equal(message?.messageId, `<${id}@acme.example>`);
  await kill(child);
});

test('killed before it could note that the mail was taken: another process sends it again with the same Message-ID', async () => {
  const remote = await mailServer({ beforeAccepting: () => new Promise(() => {}) });
  const { child } = await serve(remote.port);
  const { id } = await queue();
  await until('the server has the mail', () => remote.received.length === 1);
  await kill(child);
  const { status, attempts, due_in } = await row(id);
  assert.deepEqual([status, attempts], ['queued', 1]);
  assert.ok(due_in !== null && due_in > 60 && due_in <= 120, `${due_in}: it is claimed`);

  remote.behave({});
  const other = await serve(remote.port);
  await pause(1_500);
  assert.equal(remote.received.length, 1, 'not before the claim ends');
  await comeDue(id);
  await until('it is sent', async () => (await row(id)).status === 'sent');
  const ids = remote.received.map(({ messageId }) => messageId);
  assert.deepEqual(ids, Array(2).fill(`<${id}@localhost>`));
  await kill(other.child);
});

test('killed before anything was sent: nothing is lost', async () => {
  const remote = await mailServer({ silentGreeting: true });
  const { child } = await serve(remote.port);
  const { id } = await queue();
  await until('it is claimed', async () => (await row(id)).attempts === 1);
  await kill(child);
  remote.behave({});
  await comeDue(id);
  const worker = workerOn(db, await smtpTo(remote.port));
  await worker.round();
  await worker.close();
  const { status, attempts } = await row(id);
  assert.deepEqual([status, attempts, remote.received.length], ['sent', 2, 1]);
});

test('a server that is stopped while mail hangs ends in time with status 0, and the mail stays claimed', async () => {
  const remote = await mailServer({ silentAfterData: true });
  const { child } = await serve(remote.port);
  const { id } = await queue();
  await until('the server has the mail', () => remote.received.length === 1);
  const began = Date.now();
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.ok(Date.now() - began < 9_000, `${Date.now() - began} ms`);
  const { status, attempts, last_error } = await row(id);
  assert.deepEqual([status, attempts, last_error], ['queued', 1, null]);
});

test('a server that is stopped while mail is on its way waits for the answer', async () => {
  let accept = () => {};
  const remote = await mailServer({
    beforeAccepting: () =>
      new Promise<void>((accepted) => {
        accept = accepted;
      }),
  });
  const { child } = await serve(remote.port);
  const { id } = await queue();
  await until('the server has the mail', () => remote.received.length === 1);
  child.kill('SIGTERM');
  await pause(500);
  accept();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal((await row(id)).status, 'sent');
});
