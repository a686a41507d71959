import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startProxy } from '../../testing/database/proxy.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { outboxOn, readableLog, smtpTo, workerOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** The database goes away while mail is being sent. */

let proxy: Awaited<ReturnType<typeof startProxy>>;
const { db, fixtures } = await startHarness({
  through: async (url) => {
    proxy = await startProxy(url);
    return proxy.url;
  },
});
const remote = await startMailServer();
const { log, lines } = readableLog();
const worker = workerOn(db, await smtpTo(remote.port), { log });
const { queue, row } = outboxOn(db, fixtures);
after(async () => {
  await worker.close();
  await remote.close();
  await proxy.close();
});

test('mail that the server took is not sent again because the database was away for a moment', async () => {
  const { id } = await queue();
  remote.behave({
    beforeAccepting: () => {
      proxy.cut();
      setTimeout(proxy.mend, 1_500);
    },
  });
  await worker.round();
  const { status, attempts } = await row(id);
  assert.deepEqual([status, attempts, remote.received.length], ['sent', 1, 1]);
});

test('without a database, polling for mail fails, is logged, and works again later', async () => {
  const { id } = await queue();
  remote.behave({});
  proxy.cut();
  await worker.round();
  assert.ok(lines.some((line) => line.includes('mail: failed; trying again')));
  proxy.mend();
  await worker.round();
  assert.equal((await row(id)).status, 'sent');
});

test('a clock that was an hour ahead and is set right prolongs no rest', async (t) => {
  const { id } = await queue();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
  proxy.cut();
  await worker.round();
  t.mock.timers.reset();
  proxy.mend();
  worker.start();
  for (const until = performance.now() + 30_000; (await row(id)).status !== 'sent'; await pause(50))
    assert.ok(performance.now() < until, 'the mail still waits');
});
