import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { customerStore } from '../server/billing/cards/customers.ts';
import { sandbox } from '../server/billing/cards/sandbox.ts';
import { stripeProcessor } from '../server/billing/cards/stripe.ts';
import { topUps } from '../server/billing/top-ups/top-ups.ts';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { startFakeStripe } from '../server/testing/fakes/fake-stripe/server.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { runCommand } from '../server/testing/processes/command.ts';

/**
 * The commands that move money, on a database of one's own and against
 * the fake Stripe.
 */

const WORLD = join(import.meta.dirname, '../demo/world.json');
const fake = await startFakeStripe();
after(() => fake.close());
const STRIPE = { STRIPE_SECRET_KEY: fake.secretKey, STRIPE_API_BASE: fake.url };
const access = { secretKey: fake.secretKey, apiBase: fake.url };

async function database() {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url, poolSize: 4 });
  after(async () => {
    await db.close();
    await clone.drop();
  });
  const environment = (env: Record<string, string>): Record<string, string> => ({
    PORT: '0',
    DATABASE_URL: clone.url,
    LOG_LEVEL: 'error',
    SERVER_SECRET: 'a secret for tests that is long enough',
    ...env,
  });
  const run = (args: string[], env: Record<string, string> = {}) =>
    runCommand(args, { env: environment(env) });
  /** A top-up of 25 USD by the processor, `charged` or as a crash leaves it. */
  const topUp = async (processor: 'stripe' | 'sandbox', charged = true) => {
    const user = await fixturesOn(db).user();
    const card = await fixturesOn(db).card(user);
    const account = await db.one<{ id: string }>(
      sql`select id from billing_account where user_id = ${user.id}`,
    );
    const path = topUps(
      db,
      processor === 'sandbox'
        ? sandbox(db)
        : stripeProcessor({ ...access, customers: customerStore(db) }),
    );
    const { topUp } = await db.transaction((tx) =>
      path.start(tx, {
        accountId: account.id,
        userId: user.id,
        keyId: null,
        requestId: 'test',
        clientKey: undefined,
        paymentMethodId: card,
        amount: 25_000_000n,
      }),
    );
    if (charged) assert.equal((await path.advance(topUp.id)).kind, 'settled');
    return { id: topUp.id, user, balance: () => fixturesOn(db).balance({ userId: user.id }) };
  };
  return { url: clone.url, db, environment, run, topUp };
}

/** Every row that tells of money. */
const money = (db: Database) =>
  db.many(sql`
    select (select json_agg(t order by id) from top_up t) as top_ups, (select json_agg(r
      order by id) from refund r) as refunds,
           (select json_agg(h order by id) from hold h) as holds, (select json_agg(a order by id)
             from billing_account a) as accounts`);

test('a refund whose answer was lost is paid once, also after Stripe has forgotten its key', async () => {
  const { db, run, topUp } = await database();
  const { id, balance } = await topUp('stripe');
  fake.fault({ match: 'POST /v1/refunds', kind: '500saved' });
  const asked = await run(
    ['refund', '--top-up', id.replaceAll('-', '').toUpperCase(), '--amount', '10'],
    STRIPE,
  );
  assert.deepEqual([asked.code, asked.err], [0, '']);
  assert.match(asked.out, /^10\.00 USD are held for the refund \S+; the outcome is not known yet/);
  const rest = await run(['refund', '--top-up', id, '--amount', '20'], STRIPE);
  assert.equal(rest.code, 1);
  assert.match(
    rest.err,
    /At most 15\.00 USD of it can be refunded: 10\.00 of it is in a refund whose outcome is not known yet, 15\.00 USD/,
  );
  fake.forgetKeys();
  await db.many(sql`update refund set next_check_at = now()`);
  const round = await run(['reconcile', '--json'], STRIPE);
  assert.deepEqual([round.code, JSON.parse(round.out).refunds], [0, 1]);
  assert.equal(fake.net(id), 15_000_000n);
  assert.equal(await balance(), 15_000_000n);
});

test('a refund that is impossible is refused in words that say where to find the id of a top-up', async () => {
  const { db, run, topUp } = await database();
  const { id } = await topUp('stripe');
  const refused = async (...args: string[]) => {
    const before = await money(db);
    const { code, out, err } = await run(['refund', '--top-up', ...args], STRIPE);
    assert.deepEqual([code, out, await money(db)], [1, '', before]);
    return err;
  };
  const where = /see the top_up_id in the answer of add-funds/;
  assert.match(await refused('00000000-0000-4000-8000-000000000000'), where);
  assert.match(
    await refused(id, '--amount', '30'),
    /At most 25\.00 USD of it can be refunded: 25\.00 USD of the/,
  );
  await run(['refund', '--top-up', id, '--amount', '25'], STRIPE);
  const nothing =
    /was for 25\.00 USD\. Nothing of it can be refunded at present: 25\.00 of it was refunded, 0\.00 USD of the/;
  assert.match(await refused(id), nothing);

  const disputed = await topUp('stripe');
  fake.dispute(
    (
      await db.one<{ i: string }>(
        sql`select processor_id as i from top_up where id = ${disputed.id}`,
      )
    ).i,
  );
  const { code, out } = await run(['refund', '--top-up', disputed.id], STRIPE);
  assert.equal(code, 1);
  assert.equal(
    out,
    'The card processor refused to refund 25.00 USD: the cardholder disputes this charge. No money was moved.\n',
  );
});

test('an amount or an id that cannot be meant is a wrong use of the command: status 2, and nothing changes', async () => {
  const { db, run, topUp } = await database();
  const { id } = await topUp('stripe');
  const before = await money(db);
  for (const amount of ['much', '0', '0.00', '-1', '1.005', '1e1', '', '99999999999', '1,50'])
    assert.deepEqual(await run(['refund', '--top-up', id, `--amount=${amount}`], STRIPE), {
      code: 2,
      out: '',
      err: `Option '--amount <usd>' argument '${amount}' is invalid. It must be an amount in USD of at least 0.01 with at most two decimals, such as 12.50. Add --help for usage.\n`,
    });
  for (const wrong of ['laptop', '', `${id}0`]) {
    const { code, out, err } = await run(['refund', `--top-up=${wrong}`], STRIPE);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /is invalid\. It must be the id of a top-up: see the top_up_id in/);
  }
  assert.equal((await run(['refund'], STRIPE)).code, 2);
  assert.deepEqual(await money(db), before);
});

test('where Stripe charges the cards, nothing that moves money starts without its key', async () => {
  const { db, run, topUp } = await database();
  const left = await topUp('stripe', false);
  await db.many(sql`update top_up set next_check_at = now()`);
  const before = await money(db);
  for (const args of [['serve'], ['reconcile'], ['refund', '--top-up', left.id]] as string[][]) {
    const { code, out, err } = await run(args);
    assert.deepEqual([code, out], [2, ''], args.join());
    assert.match(err, /STRIPE_SECRET_KEY must be set, .* this database has top-ups by Stripe/);
    assert.deepEqual(await money(db), before);
  }
  assert.equal((await run(['audit', 'ledger'])).code, 0);
  const round = await run(['reconcile', '--json'], STRIPE);
  assert.equal(JSON.parse(round.out).settled, 1);
  assert.equal(await left.balance(), fake.net(left.id));
});

test('a sandbox database that is given to Stripe keeps the sandbox’s top-ups as they are', async () => {
  const { db, run, topUp } = await database();
  const [charged, left] = [await topUp('sandbox'), await topUp('sandbox', false)];
  await db.many(sql`update top_up set next_check_at = now() where id = ${left.id}`);
  assert.equal((await run(['reconcile', '--json'])).code, 0);
  const open = await topUp('sandbox', false);
  await db.many(sql`update top_up set next_check_at = now() where id = ${open.id}`);
  const before = await money(db);
  const round = await run(['reconcile'], STRIPE);
  assert.equal(round.code, 0);
  assert.match(round.out, /Left alone, because they belong to another card processor: 1\./);
  const refund = await run(['refund', '--top-up', charged.id], STRIPE);
  assert.equal(refund.code, 1);
  assert.match(
    refund.err,
    /charged by the sandbox, which moved no money: Stripe has nothing to refund/,
  );
  assert.deepEqual(await money(db), before);
});

test('a server whose login is only a member of guildhall_app starts, serves, and is not the owner', async () => {
  const { url, db, environment, run } = await database();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const login = `guildhall_test_server_${process.pid}`;
  await admin.query(`create role ${login} login password 'x'; grant guildhall_app to ${login}`);
  const own = new URL(url);
  own.username = login;
  own.password = 'x';
  const child = spawn(process.execPath, [GUILDHALL, 'serve', '--json', '--no-work'], {
    env: environment({ DATABASE_URL: own.href }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (/\n}\n/.test(out)) break;
  }
  const user = await fixturesOn(db).user();
  const body = JSON.stringify({ amount: 5, payment_method_id: await fixturesOn(db).card(user) });
  const headers = { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${JSON.parse(out).url}/api/billing/add-funds`, {
    method: 'POST',
    headers,
    body,
  });
  for (const args of [
    ['migrate'],
    ['audit', 'ledger'],
    ['keys', 'list'],
    ['reconcile'],
    ['import', WORLD],
  ])
    assert.deepEqual((await run(args, { DATABASE_URL: own.href })).err, '');
  child.kill();
  await once(child, 'exit');
  await admin.query(`drop role ${login}`);
  await admin.end();
  assert.equal(reply.status, 200);
});
