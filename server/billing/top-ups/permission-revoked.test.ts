import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { LIMITS } from '../../testing/fixtures/billing/auto-reload.ts';
import { startStripeCards } from '../../testing/fixtures/billing/stripe-cards.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { chargeIfDue } from '../auto-reload/charge-if-due.ts';
import { topUps } from './top-ups.ts';

/** The person of a card loses the right to the billing of a workspace while its charge is made. */

const { db, fake, fixtures, request, saver, stripe } = await startStripeCards();
const path = topUps(db, stripe);
const CREATE = '/v1/payment_intents';

type Tenant = Awaited<ReturnType<typeof tenant>>;

/** A workspace with 5.00, and an admin who has saved a card. */
async function tenant() {
  const owner = await fixtures.user();
  const { user: admin, save } = await saver();
  const { id: card } = await save();
  const workspace = await fixtures.workspace(owner, { balance: '5.00' });
  await fixtures.member(workspace, admin, 'admin');
  const url = `/api/organizations/${workspace}`;
  const give = (role: string) =>
    request('PUT', `${url}/members/${admin.id}`, { key: owner.key, body: { role } });
  const { id: account } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  const balance = () => fixtures.balance({ organizationId: workspace });
  return { admin, card, account, give, balance, billing: `${url}/billing` };
}

const post = (place: string) => (t: Tenant) =>
  request('POST', `${t.billing}/${place}`, {
    key: t.admin.key,
    headers: { 'idempotency-key': t.card },
    body: { amount: 31, payment_method_id: t.card },
  });

const WAYS: Record<
  string,
  (t: Tenant) => Promise<{ status: number; body: { code: string } } | undefined>
> = {
  'adds funds': post('add-funds'),
  'adds funds in a browser': post('top-ups'),
  'has an auto-reload': async ({ account }) => {
    assert.equal((await chargeIfDue(db, path, LIMITS, account))?.kind, 'failed');
    return undefined;
  },
};

const switchOn = ({ admin, billing, card }: Tenant) =>
  request('PUT', `${billing}/auto-reload`, {
    key: admin.key,
    body: { enabled: true, threshold: 10, amount: 25, monthly_cap: 100, payment_method_id: card },
  });

/** Does `change` while the processor handles the request, which is answered late. */
async function during<Reply>(match: string, begin: () => Promise<Reply>, change: () => unknown) {
  const before = fake.requests.length;
  fake.fault({ match: `POST ${match}`, kind: 'slow', ms: 700 });
  const begun = begin();
  const arrived = () => fake.requests.slice(before).some(({ fault }) => fault === 'slow');
  while (!arrived()) await pause(5);
  await change();
  return begun;
}

const topUpsOf = ({ account }: Tenant) =>
  db.many<{ id: string; status: string }>(sql`
    select id, status from top_up where account_id = ${account}`);

for (const [how, begin] of Object.entries(WAYS))
  test(`race: nothing is charged of an admin who ${how} and is a member before the intent exists`, async () => {
    const t = await tenant();
    if (how === 'has an auto-reload') assert.equal((await switchOn(t)).status, 200);
    const reply = await during(
      CREATE,
      () => begin(t),
      async () => assert.equal((await t.give('member')).status, 200),
    );
    if (reply !== undefined) assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    const rows = await topUpsOf(t);
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['failed'],
    );
    const id = rows[0]?.id as string;
    assert.equal(fake.captured(id), 0n);
    const intents = [...fake.state.intents.values()].filter(
      ({ metadata }) => metadata.top_up_id === id,
    );
    assert.deepEqual(
      intents.map(({ status }) => status),
      ['canceled'],
    );
    assert.equal(await t.balance(), 5_000_000n);
  });

test('the ledger holds after all of it', async () => {
  assert.deepEqual((await auditLedger(db)).violations, []);
});
