import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ELSEWHERE } from '../../testing/fakes/mail-server/certificates.ts';
import {
  type MailServerOptions,
  startMailServer,
} from '../../testing/fakes/mail-server/mail-server.ts';
import { outboxOn, smtpTo, workerOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { MailOptions } from './background.ts';
import type { SmtpOptions } from './smtp-transport.ts';

/** Mail servers that hang, drop, or cannot be trusted: each delays the mail, and none gets it. */

const { db, fixtures } = await startHarness({ own: true });
const { queue, row, comeDue } = outboxOn(db, fixtures);

async function post(
  server: MailServerOptions = {},
  client: Partial<SmtpOptions> = {},
  options: Partial<MailOptions> = {},
) {
  const remote = await startMailServer(server);
  const worker = workerOn(db, await smtpTo(remote.port, client), { finishWithin: 100, ...options });
  after(async () => {
    await worker.close();
    await remote.close();
  });
  return { remote, worker };
}

/** Sends one mail, which must be deferred within `seconds` and be due in about a minute. */
async function assertDelayed(
  worker: { round(): Promise<void> },
  error: RegExp,
  seconds = 5,
): Promise<string> {
  const { id } = await queue();
  const began = Date.now();
  await worker.round();
  assert.ok(Date.now() - began < seconds * 1_000, `${Date.now() - began} ms`);
  const { status, attempts, due_in, last_error } = await row(id);
  assert.deepEqual([status, attempts], ['queued', 1]);
  assert.match(last_error ?? '', error);
  assert.ok(due_in !== null && due_in > 40 && due_in <= 72, `${due_in}`);
  return id;
}

/** Of a worker that gives a silent server up soon. A busy machine may be as late: it sends no mail. */
const HASTY = { connection: 2_000, greeting: 500, silence: 800 };

async function patient({ port }: { port: number }) {
  const worker = workerOn(db, await smtpTo(port));
  after(() => worker.close());
  return worker;
}

const recovers = async (id: string, worker: { round(): Promise<void> }) => {
  await comeDue(id);
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
};

test('a server that never greets is left after the greeting time', async () => {
  const { remote, worker } = await post({ silentGreeting: true }, { timeouts: HASTY });
  const id = await assertDelayed(
    worker,
    /^The server did not answer in time \(CONN: Greeting never received\)\.$/,
  );
  remote.behave({});
  await recovers(id, await patient(remote));
});

test('a server that never answers the message is left after the time of silence; the repetition has the same Message-ID', async () => {
  const timeouts = { ...HASTY, greeting: 10_000 };
  const { remote, worker } = await post({ silentAfterData: true }, { timeouts });
  const id = await assertDelayed(worker, /^The server did not answer in time \(\w+: Timeout\)\.$/);
  remote.behave({});
  await recovers(id, await patient(remote));
  const received = remote.received.map(({ messageId }) => messageId);
  assert.deepEqual(received, Array(2).fill(`<${id}@guild.example>`));
});

test('a connection that is cut within the message is one attempt', async () => {
  const { remote, worker } = await post({ dropsMessage: true });
  const id = await assertDelayed(worker, /closed|ECONNRESET|socket/i);
  assert.deepEqual([remote.connections(), remote.received.length], [1, 0]);
  remote.behave({});
  await recovers(id, worker);
});

test('a server that has the message and takes longer to answer than to take it gets it once', async () => {
  const timeouts = { connection: 2_000, greeting: 2_000, silence: 60_000, handing: 1_500 };
  const { remote, worker } = await post(
    { beforeAccepting: () => pause(timeouts.handing + 1) },
    { timeouts },
  );
  const { id } = await queue();
  await worker.round();
  const { status, attempts } = await row(id);
  assert.deepEqual([status, attempts, remote.received.length], ['sent', 1, 1]);
});

const dripping = { connection: 60_000, greeting: 60_000, silence: 60_000 };
for (const [limit, timeouts, options] of [
  ['one mail', dripping, { sendWithin: 700 }],
  ['taking a message', { ...dripping, handing: 700 }, {}],
] as const)
  test(`a server that keeps the connection alive with drips is left after the time for ${limit}`, async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.write('220-hello\r\n');
      const drip = setInterval(() => socket.write('220-and\r\n'), 50);
      socket.once('close', () => clearInterval(drip));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const worker = workerOn(db, await smtpTo(port, { timeouts }), options);
    after(async () => {
      await worker.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await assertDelayed(worker, /^The server did not take the message in time\.$/);
  });

test('no server listens', async () => {
  const { remote, worker } = await post();
  await remote.close();
  await assertDelayed(worker, /ECONNREFUSED/);
});

test('a server without STARTTLS gets neither login nor mail, unless encryption is off', async () => {
  const login = { user: 'me', password: 'hunter2' };
  const { remote, worker } = await post({ encryption: 'none', login }, { login });
  const id = await assertDelayed(worker, /^STARTTLS: 500 /);
  assert.deepEqual(remote.received, []);

  const trusting = await post({ encryption: 'none' }, { encryption: 'none' });
  await recovers(id, trusting.worker);
  assert.deepEqual(
    trusting.remote.received.map(({ secure }) => secure),
    [false],
  );
});

test('with encryption off, an offered STARTTLS is not used: its certificate could not be verified', async () => {
  const { remote, worker } = await post({ certificate: ELSEWHERE }, { encryption: 'none' });
  const { id } = await queue();
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
  assert.deepEqual(
    remote.received.map(({ secure }) => secure),
    [false],
  );
});

test('TLS from the first byte', async () => {
  const { remote, worker } = await post({ encryption: 'tls' }, { encryption: 'tls' });
  const { id } = await queue();
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
  assert.deepEqual(
    remote.received.map(({ secure }) => secure),
    [true],
  );
});

for (const encryption of ['starttls', 'tls'] as const) {
  test(`${encryption}: a certificate of another name is refused`, async () => {
    const { remote, worker } = await post(
      { encryption, certificate: ELSEWHERE },
      { encryption, ca: ELSEWHERE.cert },
    );
    await assertDelayed(worker, /Host.* not in the cert|altnames/i);
    assert.deepEqual(remote.received, []);
  });

  test(`${encryption}: a certificate of an unknown authority is refused`, async () => {
    const { remote, worker } = await post({ encryption }, { encryption, ca: ELSEWHERE.cert });
    await assertDelayed(worker, /self-signed certificate|unable to verify/i);
    assert.deepEqual(remote.received, []);
  });
}

test('while the server fails, other mail keeps its attempts', async () => {
  const { remote, worker } = await post({ silentGreeting: true }, { timeouts: HASTY });
  const mails = await Promise.all(Array.from({ length: 10 }, () => queue()));
  await worker.round();
  const states = await Promise.all(mails.map(({ id }) => row(id)));
  const tried = states.filter(({ attempts }) => attempts > 0);
  assert.ok(tried.length <= 2, `${tried.length} were tried`);
  remote.behave({});
  for (const { id } of mails) await comeDue(id);
  await (await patient(remote)).round();
  for (const { id } of mails) assert.equal((await row(id)).status, 'sent');
});
