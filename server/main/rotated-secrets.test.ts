import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { verifyWebhook } from '../billing/cards/stripe-events.ts';
import { isSigned } from '../code/github/deliveries.ts';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { readVapidKey } from '../identity/notifications/push/sealed-push.ts';
import { rotate, type SealedRow, type SealedValues } from '../platform/sealing/rotate.ts';
import {
  CannotOpen,
  keyIdOf,
  openSealing,
  type ServerSecrets,
} from '../platform/sealing/sealing.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { fixturesOn } from '../testing/fixtures/tenants.ts';
import { SEALED_VALUES } from './sealed-values.ts';

const [OLD, NEXT] = [
  'the secret of until now, long enough',
  'the next secret, which is long enough',
];
const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
after(async () => {
  await db.close();
  await clone.drop();
});

const person = await fixtures.user();
const workspace = await fixtures.workspace(person);
const project = await fixtures.project({ organizationId: workspace });
const none = randomBytes(40);
const noKey = '0'.repeat(16);
const repository = async (): Promise<string> => {
  const own = await fixtures.project({ organizationId: workspace });
  const { id } = await db.one<{ id: string }>(sql`
    select id from repository where project_id = ${own}`);
  return id;
};

/** Makes a row of each table that has something sealed. */
const ROWS: Record<string, () => Promise<unknown>> = {
  totp: () =>
    db.many(
      sql`insert into totp (user_id, secret, key_id) values (${person.id}, ${none}, ${noKey})`,
    ),
  odoo_connection: () => fixtures.odooConnection(project),
  project_variable: () =>
    fixtures.variable(project, { by: person, name: 'TOKEN', value: 'a value', secret: true }),
  repository_import: async () =>
    db.many(sql`
      insert into repository_import
             (project_id, repository_id, requested_by_user_id, url, credential, credential_key_id)
      values (${project}, ${await repository()}, ${person.id}, 'https://code.example.com/a', ${none},
             ${noKey})`),
  webhook_endpoint: () => fixtures.webhook(project),
  push_key: () =>
    db.many(sql`
      insert into push_key (public_key, sealed, sealed_key_id)
      values (${randomBytes(65)}, ${none}, ${noKey})`),
  push_subscription: () =>
    db.many(sql`
      with s as (
        insert into session (user_id, token_hash, expires_at)
        values (${person.id}, ${randomBytes(32)}, now() + interval '1 day') returning id)
      insert into push_subscription (user_id, session_id, endpoint_hash, sealed, sealed_key_id)
      select ${person.id}, id, ${randomBytes(32)}, ${none}, ${noKey} from s`),
  gitea_connection: () => fixtures.giteaConnection(workspace),
  gitea_webhook: async () =>
    db.many(sql`
      insert into gitea_webhook (repository_id, secret, secret_key_id)
      values (${await repository()}, ${none}, ${noKey})`),
};

const rowsOf = (values: SealedValues): Promise<SealedRow[]> =>
  db.transaction((tx) => values.next(tx, 'no key', '00000000-0000-0000-0000-000000000000', 10));

const openWith = (secrets: ServerSecrets, { use }: SealedValues, row: SealedRow): string =>
  openSealing(secrets, use).open(row, row.context).toString();

test('every column with a key of the servers beside it is sealed anew by a rotation', async () => {
  const columns = await db.many<{ name: string }>(sql`
    select distinct table_name::text as name from information_schema.columns c
     where table_schema = 'public' and data_type = 'text' and column_name like '%key_id'
       and exists (select from information_schema.tables t
                    where t.table_name = c.table_name and t.table_type = 'BASE TABLE')
     order by 1`);
  // Hashes cannot be made anew; `secrets rotate` counts them.
  const found = columns.map(({ name }) => name).filter((name) => name !== 'recovery_code');
  assert.deepEqual(SEALED_VALUES.map(({ name }) => name).sort(), found);
  assert.deepEqual(Object.keys(ROWS).sort(), found);
});

for (const values of SEALED_VALUES)
  test(`${values.name}: opens before, between and after a rotation, and then not with the old secret`, async () => {
    await ROWS[values.name]?.();
    const [row] = await rowsOf(values);
    assert.ok(row);
    const secret = `the secret of ${values.name}`;
    const sealed = openSealing({ current: OLD }, values.use).seal(Buffer.from(secret), row.context);
    await db.transaction((tx) => values.store(tx, [{ id: row.id, ...sealed }]));
    const read = async (secrets: ServerSecrets) => {
      const [now] = await rowsOf(values);
      return openWith(secrets, values, now as SealedRow);
    };
    const both = { current: NEXT, previous: OLD };
    assert.equal(await read({ current: OLD }), secret);
    assert.equal(await read(both), secret);
    await assert.rejects(read({ current: NEXT }), CannotOpen);

    const [done] = await rotate(db, both, [values]);
    assert.deepEqual(done, { name: values.name, sealed: 1, unopened: [] });
    assert.equal(await read({ current: NEXT }), secret);
    assert.equal(await read(both), secret);
    await assert.rejects(read({ current: OLD }), CannotOpen);
    const [after] = await rowsOf(values);
    assert.equal(after?.keyId, keyIdOf(NEXT));
    assert.deepEqual(await rotate(db, both, [values]), [{ ...done, sealed: 0 }]);
  });

const [BEFORE, AFTER] = ['whsec_before', 'whsec_after'];
const event = JSON.stringify({
  id: 'evt_1',
  type: 'payment_intent.succeeded',
  created: 1_795_000_000,
  data: { object: { id: 'pi_1', object: 'payment_intent' } },
});
const stripeHeader = (secret: string) =>
  Stripe.webhooks.generateTestHeaderString({ payload: event, secret });
const githubHeader = (secret: string) =>
  `sha256=${createHmac('sha256', secret).update(event).digest('hex')}`;

/** Whether a server that has the second secret takes what is signed so. */
for (const [setting, cases] of Object.entries({
  STRIPE_WEBHOOK_SECRET: [
    ['the new one', true, () => verifyWebhook(event, stripeHeader(AFTER), AFTER) !== undefined],
    ['the old one', false, () => verifyWebhook(event, stripeHeader(BEFORE), AFTER) !== undefined],
    [
      'both, as while Stripe keeps the old one',
      true,
      () =>
        verifyWebhook(
          event,
          `${stripeHeader(BEFORE)},${stripeHeader(AFTER).replace(/^t=\d+,/, '')}`,
          AFTER,
        ) !== undefined,
    ],
  ],
  GITHUB_WEBHOOK_SECRET: [
    ['the new one', true, () => isSigned(Buffer.from(event), githubHeader(AFTER), AFTER)],
    ['the old one', false, () => isSigned(Buffer.from(event), githubHeader(BEFORE), AFTER)],
  ],
} satisfies Record<string, [string, boolean, () => boolean][]>))
  for (const [what, wanted, taken] of cases)
    test(`${setting} was replaced: an event that is signed with ${what} is ${wanted ? 'taken' : 'refused'}`, () => {
      assert.equal(taken(), wanted);
    });

test('the key for push, removed, is made anew by the next start, and is another one', async () => {
  const sealing = openSealing({ current: NEXT }, 'push');
  await db.many(sql`delete from push_key`);
  const first = await readVapidKey(db, sealing);
  assert.deepEqual((await readVapidKey(db, sealing)).publicKey, first.publicKey);
  await db.many(sql`delete from push_subscription`);
  await db.many(sql`delete from push_key`);
  assert.notDeepEqual((await readVapidKey(db, sealing)).publicKey, first.publicKey);
});
