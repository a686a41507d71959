import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { fixturesOn, type User } from '../../testing/fixtures/tenants.ts';
import {
  endNow,
  observerUrl,
  type Served,
  serve,
  statementsEnded,
} from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';
import { HOURLY_WORK } from '../background.ts';
import { noteExpiringCards } from './expiring-cards.ts';
import { queueAllNotices } from './queue-notices.ts';

/**
 * Servers that are killed between an occasion, its mail in the table, and the mail server. Queued is
 * exactly once. Sent is at least once (decision 25): a second copy comes only if the server died
 * after the mail server had the whole mail, and has the same Message-ID.
 */

const clone = await cloneDatabase();
const db = openDatabase({ url: observerUrl(clone.url) });
const fixtures = fixturesOn(db);
const servers: Served[] = [];
const remote = await startMailServer({ silentGreeting: true });
after(async () => {
  for (const { child } of servers) child.kill('SIGKILL');
  await remote.close();
  await db.close();
  await clone.drop();
});

async function start(): Promise<Served> {
  const SMTP_URL = `smtp://localhost:${remote.port}`;
  const served = await serve({ DATABASE_URL: clone.url, SMTP_URL });
  servers.push(served);
  return served;
}

/** Three people, each with one occasion for a mail; that of `declined` needs a server. */
async function occasions() {
  const [poor, declined, old] = (await Promise.all([1, 2, 3].map(() => fixtures.user()))) as [
    User,
    User,
    User,
  ];
  await fixtures.fund({ userId: poor.id }, '6.00');
  await fixtures.fund({ userId: poor.id }, '-2.00');
  const card = await fixtures.card(declined, 'pm_card_chargeDeclined');
  await db.many(sql`
    insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap, payment_method_id)
    select id, true, 10000000, 25000000, 100000000, ${card}
      from billing_account where user_id = ${declined.id}`);
  // Its month ends, or has ended, within 30 days on every day of a year.
  await db.many(sql`
    update payment_method set exp_year = extract(year from now() - interval '15 days'),
                              exp_month = extract(month from now() - interval '15 days')
     where id = ${await fixtures.card(old)}`);
  return [poor, declined, old];
}

interface Row {
  id: string;
  kind: string;
  status: string;
  attempts: number;
}

const rowsOf = (people: User[]) =>
  db.many<Row>(sql`
    select m.id, n.kind, m.status, m.attempts
      from mail m join billing_notice n on n.id = m.subject_id
     where m.kind = 'billing_notice' and m.recipient = any(${people.map(({ email }) => email)}::text[])
     order by n.kind`);

/** As if the hour, and the time for the next attempt, had come. */
const nextHour = () => db.many(sql`update hourly_work set next_at = now()`);
const comeDue = () => db.many(sql`update mail set next_attempt_at = now() where status = 'queued'`);

/** Each of these people has one mail, which was received `times`, and there is no other to queue. */
async function once(people: User[], times = 1): Promise<void> {
  const sent = async () => {
    const rows = await rowsOf(people);
    return rows.length === people.length && rows.every(({ status }) => status === 'sent');
  };
  await until('all is sent', sent, 30_000);
  await queueAllNotices(db);
  await noteExpiringCards(db);
  const rows = await rowsOf(people);
  assert.equal(rows.length, people.length);
  const received = remote.received.filter(({ recipient }) =>
    people.some(({ email }) => email === recipient),
  );
  const expected = rows.flatMap(({ id }) => Array(times).fill(`<${id}@localhost>`));
  assert.deepEqual(received.map(({ messageId }) => messageId).sort(), expected.sort());
}

test('killed once all is queued and claimed: two other servers send each mail once', async () => {
  const people = await occasions();
  const served = await start();
  await until(
    'all is queued, and one claimed',
    async () => {
      const rows = await rowsOf(people);
      return rows.length === 3 && rows.some(({ attempts }) => attempts > 0);
    },
    30_000,
  );
  await endNow(served);
  await statementsEnded(db);
  assert.deepEqual(remote.received, []);
  remote.behave({});
  await Promise.all([comeDue(), nextHour()]);
  const others = await Promise.all([start(), start()]);
  await once(people);
  await Promise.all(others.map(endNow));
});

for (const [what, table] of [
  ['a charge that failed and a low balance', 'outbox'],
  ['a card that ends', 'payment_method'],
] as const)
  for (const ends of ['is undone', 'goes through'] as const)
    test(`killed in the statement that queues ${what}, which ${ends}: it is queued once`, async () => {
      remote.behave({ silentGreeting: true });
      const cards = table === 'payment_method';
      const [poor, declined, old] = (await occasions()) as [User, User, User];
      const people = cards ? [old] : [poor, declined];
      await db.many(sql`
        insert into hourly_work (name, next_at)
        values (${HOURLY_WORK}, now() + ${cards ? '0' : '1 hour'}::interval)
        on conflict (name) do update set next_at = excluded.next_at`);
      // A transaction sees the same activity until its end, so two connections.
      const [lock, observer] = [new pg.Client(clone.url), new pg.Client(clone.url)];
      await Promise.all([lock.connect(), observer.connect()]);
      await lock.query('begin; lock table mail in share mode');
      const served = await start();
      const waiting = async () =>
        (
          await observer.query<{ pid: number }>(
            `select pid from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
            [cards ? '%due as%card_expiring%' : '%delete from outbox%auto_reload_failed%'],
          )
        ).rows;
      await until('the statement waits', async () => (await waiting()).length > 0, 30_000);
      await endNow(served);
      for (const { pid } of ends === 'is undone' ? await waiting() : [])
        await observer.query('select pg_terminate_backend($1)', [pid]);
      await until(
        'it is undone',
        async () => ends !== 'is undone' || (await waiting()).length === 0,
      );
      await lock.query('rollback');
      await Promise.all([lock.end(), observer.end()]);
      const queued = async () => (await rowsOf(people)).length;
      if (ends === 'goes through')
        await until('it goes through', async () => (await queued()) === people.length);
      else assert.equal(await queued(), 0);
      for (const _ of [1, 2]) {
        await Promise.all([queueAllNotices(db), noteExpiringCards(db), noteExpiringCards(db)]);
        assert.equal(await queued(), people.length);
      }
    });

test('killed when the mail server has the mail and has not answered: it comes again with the same Message-ID', async () => {
  const [poor] = await occasions();
  // No other mail takes the places of this one.
  await db.many(sql`
    with on_time as (update hourly_work set next_at = now() + interval '1 hour'),
    off as (update auto_reload set enabled = false)
    update mail set status = 'obsolete', ended_at = now(), next_attempt_at = null
     where status = 'queued'`);
  remote.behave({ beforeAccepting: () => new Promise(() => {}) });
  const served = await start();
  const has = () => remote.received.some(({ recipient }) => recipient === poor?.email);
  await until('the mail server has it', has, 30_000);
  await endNow(served);
  await statementsEnded(db);
  remote.behave({});
  await comeDue();
  const other = await start();
  await once([poor as User], 2);
  await endNow(other);
});
