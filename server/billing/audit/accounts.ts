import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { BALANCE_LIMIT } from '../ledger/balance-limit.ts';
import { usdText } from '../ledger/money.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/** Balances against the rows of the ledger, the rows against each other, and closed accounts. */
export const auditAccounts = async (tx: Tx): Promise<LedgerViolation[]> => [
  ...(await zeroSum(tx)),
  ...(await accountsAgainstRows(tx)),
  ...(await chains(tx)),
  ...(await closedAccounts(tx)),
];

/**
 * Each row of the ledger twice, once for each of its accounts, with what it adds to that account.
 * This makes a join on one column, however many rows there are.
 */
export const sides = sql`(
  select credit_account_id as id, amount from ledger_transfer
  union all
  select debit_account_id, -amount from ledger_transfer)`;

// The balances of customers, and what the rows add to the system accounts, must be zero together:
// all debits equal all credits.
async function zeroSum(tx: Tx): Promise<LedgerViolation[]> {
  const { customers, systems, clearing } = await tx.one<
    Record<'customers' | 'systems' | 'clearing', bigint>
  >(sql`
    with system as (
      select a.system_name, sum(s.amount) as balance
        from ${sides} s join billing_account a using (id)
       where a.kind = 'system' group by a.system_name)
    select (select coalesce(sum(balance), 0)::bigint
              from billing_account where kind <> 'system') as customers,
           (select coalesce(sum(balance), 0)::bigint from system) as systems,
           (select coalesce(sum(balance), 0)::bigint
              from system where system_name = 'transfer_clearing') as clearing`);
  const violations: LedgerViolation[] = [];
  if (customers + systems !== 0n) {
    const detail =
      `customer accounts hold ${usdText(customers)} USD and system accounts ` +
      `${usdText(systems)}: the sum is not zero`;
    violations.push({ rule: 'sum_is_zero', detail });
  }
  if (clearing !== 0n) {
    const detail = `${usdText(clearing)} USD left one customer's account and did not reach another's`;
    violations.push({ rule: 'transfers_clear', detail });
  }
  return violations;
}

interface AccountTotals {
  id: string;
  balance: bigint;
  version: bigint;
  rows: bigint;
  highest: bigint;
  last_balance: bigint;
  total: bigint;
  over_limit: boolean;
}

async function accountsAgainstRows(tx: Tx): Promise<LedgerViolation[]> {
  const accounts = await tx.many<AccountTotals>(sql`
    with posted as (
      select account_id, count(*) as rows, max(version) as highest,
             (array_agg(balance order by version desc))[1] as last_balance
        from ledger_transfer group by account_id),
    total as (
      select id, sum(amount)::bigint as total from ${sides} s group by id)
    select * from (
      select a.id, a.balance, a.version,
             coalesce(p.rows, 0) as rows,
             coalesce(p.highest, 0) as highest,
             coalesce(p.last_balance, 0) as last_balance,
             coalesce(t.total, 0) as total,
             abs(a.balance) > ${BALANCE_LIMIT}::bigint as over_limit
        from billing_account a
        left join posted p on p.account_id = a.id
        left join total t on t.id = a.id
       where a.kind <> 'system') totals
     where balance <> last_balance or balance <> total
        or version <> rows or version <> highest or over_limit
     order by id limit ${MOST}`);
  return accounts.flatMap(({ id: accountId, ...account }) => {
    const { balance, last_balance, total, version, rows, highest } = account;
    const violations: LedgerViolation[] = [];
    const found = (rule: string, detail: string) => violations.push({ rule, accountId, detail });
    const is = `the balance is ${usdText(balance)} USD`;
    if (balance !== last_balance)
      found('balance_is_last_row', `${is}, but its last row says ${usdText(last_balance)}`);
    if (balance !== total)
      found('balance_is_sum', `${is}, but credits minus debits are ${usdText(total)}`);
    if (version !== rows || version !== highest) {
      const detail = `version ${version}, but ${rows} rows up to version ${highest}`;
      found('versions_without_gaps', detail);
    }
    if (account.over_limit)
      found('balance_under_cap', `${is}, which exceeds the cap of 1000000000.00`);
    return violations;
  });
}

// Each row must continue the row before it, and have two sides: one customer account, to which the
// row belongs, and one system account.
async function chains(tx: Tx): Promise<LedgerViolation[]> {
  const rows = await tx.many<{ account_id: string; version: bigint; chained: boolean }>(sql`
    select account_id, version, chained from (
      select l.account_id, l.version,
             (d.kind = 'system') <> (c.kind = 'system')
               and l.account_id = case when d.kind = 'system' then c.id else d.id end as sided,
             l.previous_balance = coalesce(lag(l.balance) over line, 0)
               and l.version = coalesce(lag(l.version) over line, 0) + 1
               and l.balance = l.previous_balance + case
                     when l.account_id = l.credit_account_id then l.amount else -l.amount end
               as chained
        from ledger_transfer l
        left join billing_account d on d.id = l.debit_account_id
        left join billing_account c on c.id = l.credit_account_id
      window line as (partition by l.account_id order by l.version)) checked
     where not chained or sided is not true order by account_id, version limit ${MOST}`);
  return rows.map(({ account_id: accountId, version, chained }) =>
    chained
      ? {
          rule: 'one_customer_a_row',
          accountId,
          detail: `row ${version} is not between a customer and the system`,
        }
      : {
          rule: 'rows_follow_each_other',
          accountId,
          detail: `row ${version} does not continue the row before it`,
        },
  );
}

async function closedAccounts(tx: Tx): Promise<LedgerViolation[]> {
  const accounts = await tx.many<{
    id: string;
    balance: bigint;
    held: bigint;
    successor_id: string | null;
  }>(sql`
    select id, balance, held, successor_id from billing_account
     where status = 'closed' and (balance <> 0 or held <> 0 or successor_id is null)
     order by id limit ${MOST}`);
  return accounts.map(({ id: accountId, balance, held, successor_id }) => ({
    rule: 'closed_accounts_are_empty',
    accountId,
    detail:
      `closed with a balance of ${usdText(balance)} USD, ` +
      `${usdText(held)} USD held and ${successor_id ? 'a' : 'no'} successor`,
  }));
}
