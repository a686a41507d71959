import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { importWorld } from '../../../cli/world/load.ts';
import { openDatabase } from '../../db/database/database.ts';
import { cloneDatabase } from '../../testing/database/database.ts';
import { sandbox } from '../cards/sandbox.ts';
import { closeWorkspaceAccount } from '../ledger/workspace-account.ts';
import { topUps } from '../top-ups/top-ups.ts';
import { auditLedger } from './ledger-audit.ts';

/** Each test corrupts a ledger of its own, as only a superuser who switches the rules off can. */

const world = {
  users: [
    {
      handle: 'ada',
      email: 'ada@x.com',
      balance: '25.00',
      keys: [{ handle: 'k', name: 'k' }],
      cards: [
        { handle: 'visa', token: 'pm_card_visa', brand: 'visa', last4: '4242' },
        { handle: 'bad', token: 'pm_card_chargeDeclined', brand: 'visa', last4: '0002' },
      ],
    },
    { handle: 'bob', email: 'bob@x.com' },
  ],
  organizations: [
    { handle: 'acme', name: 'Acme', owner: 'ada', balance: '120.00' },
    { handle: 'gone', name: 'Gone', owner: 'ada', balance: '10.00' },
  ],
};

/**
 * A ledger with promotions, a paid and a refused top-up, and an account closed into another one.
 */
async function ledger() {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url, poolSize: 4 });
  const owner = new pg.Client({ connectionString: clone.url });
  owner.on('error', () => {});
  await owner.connect();
  after(async () => {
    await owner.end();
    await db.close();
    await clone.drop();
  });
  const ids = await importWorld(db, world);
  const userId = ids.users.ada?.id as string;
  const ask = async (text: string) => (await owner.query(text)).rows;
  const [account] = await ask(`select id from billing_account where user_id = '${userId}'`);
  const [key] = await ask('select id from api_key');
  const charge = async (card: string) => {
    const request = {
      accountId: account.id,
      userId,
      keyId: key.id,
      requestId: 'r',
      amount: 7_000_000n,
    };
    const paymentMethodId = ids.cards[card] as string;
    const path = topUps(db, sandbox(db));
    const { topUp } = await db.transaction((tx) =>
      path.start(tx, { ...request, paymentMethodId, clientKey: undefined }),
    );
    return (await path.advance(topUp.id)).topUp.id;
  };
  const paid = await charge('ada/visa');
  const failed = await charge('ada/bad');
  await db.transaction((tx) => closeWorkspaceAccount(tx, ids.organizations.gone as string, userId));
  /**
   * Runs statements with triggers and foreign keys switched off, after dropping the checks of two
   * tables.
   */
  const corrupt = async (...statements: string[]) => {
    const checks = await ask(`select conrelid::regclass as "table", conname from pg_constraint
      where contype = 'c' and conrelid in ('billing_account'::regclass,
        'ledger_transfer'::regclass)`);
    const drops = checks.map(
      ({ table, conname }) => `alter table ${table} drop constraint ${conname}`,
    );
    await ask([...drops, 'set session_replication_role = replica', ...statements].join(';'));
  };
  return { db, corrupt, ask, accountId: account.id as string, paid, failed };
}

const rules = ({ violations }: Awaited<ReturnType<typeof auditLedger>>) => [
  ...new Set(violations.map(({ rule }) => rule)),
];

test('a ledger that only Guildhall wrote holds, and its figures are exact', async () => {
  const { db } = await ledger();
  const { topUps: states, auditedAt, ...found } = await auditLedger(db);
  assert.deepEqual(found, {
    accounts: 4,
    transfers: 6,
    customerBalance: '162.00',
    processorClearing: '-7.00',
    oldestOpenTopUp: undefined,
    violations: [],
  });
  assert.ok(Math.abs(auditedAt.getTime() - Date.now()) < 60_000);
  assert.deepEqual(
    Object.entries(states).filter(([, n]) => n > 0),
    [
      ['succeeded', 1],
      ['failed', 1],
    ],
  );
});

test('an empty ledger holds', async () => {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url });
  const { violations, customerBalance, processorClearing } = await auditLedger(db);
  await db.close();
  await clone.drop();
  assert.deepEqual(
    { violations, customerBalance, processorClearing },
    {
      violations: [],
      customerBalance: '0.00',
      processorClearing: '0.00',
    },
  );
});

test('an open top-up is no violation, and the oldest one is named', async () => {
  const { db, corrupt, failed } = await ledger();
  await corrupt(
    `update top_up set status = 'created', failure_code = null, next_check_at = now() where id = '${failed}'`,
  );
  const { violations, oldestOpenTopUp } = await auditLedger(db);
  assert.deepEqual(violations, []);
  assert.equal(oldestOpenTopUp?.topUpId, failed);
  assert.match(oldestOpenTopUp?.createdAt ?? '', /^\d{4}-.*Z$/);
});

/**
 * A corruption (`A` the account, `P` and `F` the paid and the failed top-up), and the rules that it
 * breaks.
 */
const corruptions: Record<string, [string[], string[]]> = {
  'a balance that was raised by hand': [
    ["update billing_account set balance = balance + 1 where id = 'A'"],
    ['sum_is_zero', 'balance_is_last_row', 'balance_is_sum'],
  ],
  'a version that was raised by hand': [
    ["update billing_account set version = version + 1 where id = 'A'"],
    ['versions_without_gaps'],
  ],
  'a row that was deleted from the middle': [
    ["delete from ledger_transfer where account_id = 'A' and version = 2"],
    [
      'sum_is_zero',
      'balance_is_sum',
      'versions_without_gaps',
      'rows_follow_each_other',
      'one_credit_a_top_up',
    ],
  ],
  'an amount that was changed': [
    ["update ledger_transfer set amount = amount + 1 where account_id = 'A' and version = 1"],
    ['sum_is_zero', 'balance_is_sum', 'rows_follow_each_other'],
  ],
  'a running balance that was changed': [
    ["update ledger_transfer set balance = balance + 5 where account_id = 'A' and version = 1"],
    ['rows_follow_each_other'],
  ],
  'half of a transfer between customers': [
    ["delete from ledger_transfer where kind = 'balance_transfer' and account_id = 'A'"],
    [
      'sum_is_zero',
      'transfers_clear',
      'balance_is_last_row',
      'balance_is_sum',
      'versions_without_gaps',
    ],
  ],
  'a row between two customers': [
    [
      `update ledger_transfer set debit_account_id = (select id from billing_account where kind = 'user' and id <> 'A')
       where account_id = 'A' and version = 1`,
    ],
    ['sum_is_zero', 'balance_is_sum', 'one_customer_a_row'],
  ],
  'a balance over the cap': [
    ["update billing_account set balance = 1000000000000001 where id = 'A'"],
    ['sum_is_zero', 'balance_is_last_row', 'balance_is_sum', 'balance_under_cap'],
  ],
  'a closed account that is not empty': [
    ["update billing_account set held = 1 where status = 'closed'"],
    ['closed_accounts_are_empty', 'held_is_open_holds'],
  ],
  'a closed account without a successor': [
    ["update billing_account set successor_id = null where status = 'closed'"],
    ['closed_accounts_are_empty'],
  ],
  'a failed top-up with a credit': [
    ["update ledger_transfer set reference_id = 'F' where reference_id = 'P'"],
    ['one_credit_a_top_up', 'one_invoice_a_posting'],
  ],
  'a succeeded top-up without a credit': [
    [
      "update top_up set status = 'succeeded', failure_code = null, processor_id = 'x' where " +
        "id = 'F'",
    ],
    ['one_credit_a_top_up'],
  ],
  'a credit of another amount than its top-up': [
    ["update top_up set amount = amount + 1 where id = 'P'"],
    ['one_credit_a_top_up'],
  ],
  'a credit to somebody else than its top-up': [
    [
      "update top_up set account_id = (select id from billing_account where kind = 'user' and " +
        "id <> 'A') where id = 'P'",
    ],
    ['one_credit_a_top_up'],
  ],
  'a credit for a top-up that does not exist': [
    ["update ledger_transfer set reference_id = gen_random_uuid() where reference_id = 'P'"],
    ['one_credit_a_top_up', 'no_credit_without_top_up'],
  ],
};

for (const [what, [statements, expected]] of Object.entries(corruptions)) {
  test(`${what} is found: ${expected.join(', ')}`, async () => {
    const { db, corrupt, accountId, paid, failed } = await ledger();
    const names: Record<string, string> = { A: accountId, P: paid, F: failed };
    await corrupt(
      ...statements.map((text) => text.replace(/'([APF])'/g, (_, name) => `'${names[name]}'`)),
    );
    assert.deepEqual(rules(await auditLedger(db)), expected);
  });
}

test('a second credit for one top-up is found, with the top-up that it is of', async () => {
  const { db, ask, accountId, paid } = await ledger();
  await ask(`insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id, amount, account_id,
               reference_type, reference_id)
             select 'again', kind, debit_account_id, credit_account_id, amount, '${accountId}',
               reference_type, '${paid}'
               from ledger_transfer where reference_id = '${paid}'`);
  const { violations } = await auditLedger(db);
  assert.deepEqual(violations, [
    { rule: 'one_credit_a_top_up', topUpId: paid, detail: 'succeeded with 2 credits' },
  ]);
});
