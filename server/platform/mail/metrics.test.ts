import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { outboxOn, smtpTo, workerOn } from '../../testing/fixtures/identity/mail.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { measureMail } from './metrics.ts';

let proxy: Awaited<ReturnType<typeof startProxy>>;
const { db, fixtures, metrics } = await startHarness({
  through: async (url) => {
    proxy = await startProxy(url);
    return proxy.url;
  },
});
const remote = await startMailServer();
const worker = workerOn(db, await smtpTo(remote.port), { observer: measureMail(metrics, db) });
const { queue } = outboxOn(db, fixtures);
after(async () => {
  await worker.close();
  await remote.close();
  await proxy.close();
});

async function figures() {
  const lines = (await metrics.metrics())
    .split('\n')
    .filter((line) => /^guildhall_mail/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(14, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

const NONE = {
  '{status="queued"}': 0,
  '{status="dead"}': 0,
  _oldest_queued_seconds: 0,
  '_attempts_total{result="sent"}': 0,
  '_attempts_total{result="deferred"}': 0,
  '_attempts_total{result="dead"}': 0,
  '_attempts_total{result="obsolete"}': 0,
};

test('every series is there from the start', async () => {
  assert.deepEqual(await figures(), NONE);
});

test('what waits, its age, what is dead, and each attempt by its result', async () => {
  const answers: [string | undefined, string][] = [
    [undefined, 'sent'],
    ['550 5.1.1 No such user', 'dead'],
    ['451 4.7.1 Later', 'deferred'],
  ];
  for (const [toRecipient] of answers) {
    await queue();
    remote.behave(toRecipient === undefined ? {} : { toRecipient });
    await worker.round();
  }
  const { invitation } = await queue();
  await db.many(sql`update invitation set status = 'declined' where id = ${invitation}`);
  await worker.round();
  await db.many(
    sql`update mail set created_at = now() - interval '10 minutes' where status = 'queued'`,
  );
  const { _oldest_queued_seconds: oldest, ...others } = await figures();
  assert.ok(oldest !== undefined && oldest >= 600 && oldest < 660, `${oldest}`);
  const { _oldest_queued_seconds: _, ...none } = NONE;
  assert.deepEqual(others, {
    ...none,
    '{status="queued"}': 1,
    '{status="dead"}': 1,
    ...Object.fromEntries(
      [...answers.map(([, result]) => result), 'obsolete'].map((result) => [
        `_attempts_total{result="${result}"}`,
        1,
      ]),
    ),
  });
});

test('while the database is away, the scrape leaves out what only it knows', async () => {
  proxy.cut();
  const names = Object.keys(await figures());
  assert.deepEqual(
    names,
    Object.keys(NONE).filter((name) => name.startsWith('_attempts')),
  );
});
