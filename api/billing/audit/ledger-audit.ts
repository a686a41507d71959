import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { timestampSql } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';
import { auditMovements } from './movements.ts';

/** A rule of the ledger that its rows violate, and where. */
export interface LedgerViolation {
  rule: string;
  accountId?: string;
  topUpId?: string;
  detail: string;
}

/** The result of an audit. Amounts are USD as decimal text; `topUps` counts them by status. */
export interface LedgerAudit {
  /** The time of its snapshot. */
  auditedAt: Date;
  accounts: number;
  transfers: number;
  topUps: Record<string, number>;
  customerBalance: string;
  processorClearing: string;
  oldestOpenTopUp: { topUpId: string; status: string; createdAt: string } | undefined;
  violations: LedgerViolation[];
}

/**
 * How many violations of one kind are reported: a ledger that is broken everywhere must not break
 * its audit too.
 */
const MOST = 1_000;

/**
 * Proves the rules of the ledger from the rows alone, on one snapshot and without locks, so it may
 * run beside a busy server. The constraints should make every violation impossible; this verifies
 * that they do.
 */
export const auditLedger = (db: Database): Promise<LedgerAudit> =>
  db.transaction(
    async (tx) => {
      await tx.many(sql`set transaction isolation level repeatable read read only`);
      const violations = [
        ...(await zeroSum(tx)),
        ...(await accountsAgainstRows(tx)),
        ...(await chains(tx)),
        ...(await closedAccounts(tx)),
        ...(await topUpsAgainstCredits(tx)),
        ...(await creditsAgainstTopUps(tx)),
        ...(await auditMovements(tx, MOST)),
        ...(await spending(tx)),
      ];
      return { ...(await figures(tx)), topUps: await countTopUps(tx), violations };
    },
    { statementTimeout: ANY_ROWS },
  );

// It reads every row, which may take longer than a request may.
const ANY_ROWS = 30 * 60_000;

// Each row twice, once per account, with its effect on that account: this joins on one column,
// however many rows there are.
const sides = sql`(
  select credit_account_id as id, amount from ledger_transfer
  union all select debit_account_id, -amount from ledger_transfer)`;

async function figures(tx: Tx): Promise<Omit<LedgerAudit, 'topUps' | 'violations'>> {
  const row = await tx.one<
    Record<'accounts' | 'transfers' | 'customers' | 'clearing', bigint> & { audited_at: Date }
  >(sql`
    select now() as audited_at,
           (select count(*) from billing_account where kind <> 'system') as accounts,
           (select count(*) from ledger_transfer) as transfers,
           (select coalesce(sum(balance), 0)::bigint from billing_account where kind <> 'system') as customers,
           (select coalesce(sum(s.amount), 0)::bigint from ${sides} s join billing_account a using (id)
             where a.system_name = 'processor_clearing') as clearing`);
  const oldest = await tx.maybeOne<{ topUpId: string; status: string; createdAt: string }>(sql`
    select id as "topUpId", status, ${timestampSql(sql`created_at`)} as "createdAt"
      from top_up where status in ('created', 'processing') order by top_up.created_at, id limit 1`);
  return {
    auditedAt: row.audited_at,
    accounts: Number(row.accounts),
    transfers: Number(row.transfers),
    customerBalance: usdText(row.customers),
    processorClearing: usdText(row.clearing),
    oldestOpenTopUp: oldest,
  };
}

async function countTopUps(tx: Tx): Promise<Record<string, number>> {
  const rows = await tx.many<{ state: string; count: bigint }>(sql`
    select state, count(t.id)
      from unnest(array['created', 'processing', 'succeeded', 'failed', 'partially_refunded', 'refunded', 'disputed'])
             with ordinality s(state, place)
      left join top_up t on t.status = s.state group by state, place order by place`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

// The balances of customers and of system accounts add up to zero: debits = credits.
async function zeroSum(tx: Tx): Promise<LedgerViolation[]> {
  const { customers, systems, clearing } = await tx.one<
    Record<'customers' | 'systems' | 'clearing', bigint>
  >(sql`
    with system as (
      select a.system_name, sum(s.amount) as balance from ${sides} s join billing_account a using (id)
       where a.kind = 'system' group by a.system_name)
    select (select coalesce(sum(balance), 0)::bigint from billing_account where kind <> 'system') as customers,
           (select coalesce(sum(balance), 0)::bigint from system) as systems,
           (select coalesce(sum(balance), 0)::bigint from system where system_name = 'transfer_clearing') as clearing`);
  const violations: LedgerViolation[] = [];
  if (customers + systems !== 0n) {
    const detail = `customer accounts hold ${usdText(customers)} USD and system accounts ${usdText(systems)}: the sum is not zero`;
    violations.push({ rule: 'sum_is_zero', detail });
  }
  if (clearing !== 0n) {
    const detail = `${usdText(clearing)} USD left one customer's account and did not reach another's`;
    violations.push({ rule: 'transfers_clear', detail });
  }
  return violations;
}

interface Standing {
  id: string;
  balance: bigint;
  version: bigint;
  rows: bigint;
  highest: bigint;
  last_balance: bigint;
  total: bigint;
  capped: boolean;
}

async function accountsAgainstRows(tx: Tx): Promise<LedgerViolation[]> {
  const accounts = await tx.many<Standing>(sql`
    with posted as (
      select account_id, count(*) as rows, max(version) as highest,
             (array_agg(balance order by version desc))[1] as last_balance
        from ledger_transfer group by account_id),
    total as (
      select id, sum(amount)::bigint as total from ${sides} s group by id)
    select * from (
      select a.id, a.balance, a.version, coalesce(p.rows, 0) as rows, coalesce(p.highest, 0) as highest,
             coalesce(p.last_balance, 0) as last_balance, coalesce(t.total, 0) as total,
             abs(a.balance) > 1000000000000000 as capped
        from billing_account a left join posted p on p.account_id = a.id left join total t on t.id = a.id
       where a.kind <> 'system') standing
     where balance <> last_balance or balance <> total or version <> rows or version <> highest or capped order by id limit ${MOST}`);
  return accounts.flatMap(({ id: accountId, ...account }) => {
    const { balance, last_balance, total, version, rows, highest } = account;
    const broken: LedgerViolation[] = [];
    const found = (rule: string, detail: string) => broken.push({ rule, accountId, detail });
    const is = `the balance is ${usdText(balance)} USD`;
    if (balance !== last_balance)
      found('balance_is_last_row', `${is}, but its last row says ${usdText(last_balance)}`);
    if (balance !== total)
      found('balance_is_sum', `${is}, but credits minus debits are ${usdText(total)}`);
    if (version !== rows || version !== highest) {
      found(
        'versions_without_gaps',
        `version ${version}, but ${rows} rows up to version ${highest}`,
      );
    }
    if (account.capped) found('balance_under_cap', `${is}, which exceeds the cap of 1000000000.00`);
    return broken;
  });
}

// Checks each row against the previous one, and its two sides: one customer, to whom the row
// belongs, and one system account.
async function chains(tx: Tx): Promise<LedgerViolation[]> {
  const rows = await tx.many<{ account_id: string; version: bigint; chained: boolean }>(sql`
    select account_id, version, chained from (
      select l.account_id, l.version,
             (d.kind = 'system') <> (c.kind = 'system')
               and l.account_id = case when d.kind = 'system' then c.id else d.id end as sided,
             l.previous_balance = coalesce(lag(l.balance) over line, 0)
               and l.version = coalesce(lag(l.version) over line, 0) + 1
               and l.balance = l.previous_balance
                               + case when l.account_id = l.credit_account_id then l.amount else -l.amount end as chained
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
     where status = 'closed' and (balance <> 0 or held <> 0 or successor_id is null) order by id limit ${MOST}`);
  return accounts.map(({ id: accountId, balance, held, successor_id }) => ({
    rule: 'closed_accounts_are_empty',
    accountId,
    detail: `closed with a balance of ${usdText(balance)} USD, ${usdText(held)} USD held and ${successor_id ? 'a' : 'no'} successor`,
  }));
}

// Every top-up that was paid has one credit of its amount, to its account or that account's
// successor; others have none.
async function topUpsAgainstCredits(tx: Tx): Promise<LedgerViolation[]> {
  const topUps = await tx.many<{ id: string; status: string; credits: bigint; right: bigint }>(sql`
    with recursive line(start, id) as (
      select distinct account_id, account_id from top_up
      union
      select line.start, a.successor_id from line join billing_account a on a.id = line.id
       where a.successor_id is not null)
    select * from (
      select t.id, t.status, t.status not in ('created', 'processing', 'failed') as paid, count(l.id) as credits,
             count(l.id) filter (where l.amount = t.amount and l.credit_account_id = l.account_id and exists (
               select from line where line.start = t.account_id and line.id = l.account_id)) as right
        from top_up t left join ledger_transfer l on l.reference_id = t.id and l.kind = 'top_up'
       group by t.id) counted
     where case when paid then credits <> 1 or "right" <> 1 else credits <> 0 end order by id limit ${MOST}`);
  return topUps.map(({ id: topUpId, status, credits, right }) => {
    const what = `${status} with ${credits} ${credits === 1n ? 'credit' : 'credits'}`;
    const detail =
      credits === 1n && right === 0n ? `${what}, for another amount or to another account` : what;
    return { rule: 'one_credit_a_top_up', topUpId, detail };
  });
}

async function creditsAgainstTopUps(tx: Tx): Promise<LedgerViolation[]> {
  const credits = await tx.many<{ account_id: string; version: bigint; reference_id: string }>(sql`
    select l.account_id, l.version, l.reference_id from ledger_transfer l
     where l.kind = 'top_up' and not exists (select from top_up t where t.id = l.reference_id)
     order by l.account_id, l.version limit ${MOST}`);
  return credits.map(({ account_id: accountId, version, reference_id }) => ({
    rule: 'no_credit_without_top_up',
    accountId,
    detail: `row ${version} credits a top-up that does not exist (${reference_id})`,
  }));
}

// What is held equals the open holds, and a debt is frozen. Every charge belongs to a captured hold
// or a settlement, and vice versa. Settled events equal the sums of their settlements, and each
// settlement begins with the remainder of the previous one.
const spending = (tx: Tx): Promise<LedgerViolation[]> =>
  tx.many(sql`
    with charged as (
      select coalesce(c.key, l.idempotency_key) as key, coalesce(c.account_id, l.account_id) as account_id,
             c.key is not null and l.amount = c.amount and l.kind = 'usage' and l.account_id = l.debit_account_id
               and (l.account_id = c.account_id or exists (
                     select from billing_account a where a.id = c.account_id and a.status = 'closed')) as right
        from (select 'hold:' || id || ':capture' as key, account_id, captured as amount from hold where status = 'captured'
              union all select 'usage:' || id, account_id, micro from usage_settlement where micro > 0) c
        full join (select * from ledger_transfer
                    where idempotency_key like 'hold:%' or idempotency_key like 'usage:%') l
          on l.idempotency_key = c.key),
    settled as (
      select settlement_id as id, min(account_id::text)::uuid as account_id, count(*) as events, sum(amount) as nano
        from usage_event where settlement_id is not null group by settlement_id)
    select 'held_is_open_holds' as rule, a.id as "accountId",
           a.held || ' micro-USD held, but its open holds are ' || coalesce(h.held, 0) as detail
      from billing_account a
      left join (select account_id, sum(amount) as held from hold where status = 'open' group by account_id) h
        on h.account_id = a.id
     where a.held <> coalesce(h.held, 0)
    union all
    select 'debt_is_frozen', id, 'owes ' || -balance || ' micro-USD and is ' || status
      from billing_account where balance < 0 and status <> 'frozen'
    union all
    select 'one_charge_a_use', account_id, key || ' is not one use and one ledger row that agree'
      from charged where "right" is not true
    union all
    select 'settlement_is_its_events', coalesce(s.account_id, e.account_id),
           'settlement ' || coalesce(s.id, e.id) || ' is ' || coalesce(s.total_nano, 0) || ' nano-USD, its events '
             || coalesce(e.nano, 0)
      from usage_settlement s full join settled e on e.id = s.id
     where (s.events, s.total_nano, s.account_id) is distinct from (e.events, e.nano, e.account_id)
    union all
    select 'carries_follow_each_other', account_id, 'settlement ' || number || ' does not continue the one before it'
      from (select *, number = 1 + coalesce(lag(number) over line, 0)
                        and carried_in = coalesce(lag(carried_out) over line, 0)
                        and carried_in + total_nano = micro * 1000 + carried_out
                        and carried_out between 0 and 999 as chained
              from usage_settlement window line as (partition by account_id order by number)) c where not chained
    order by 1, 2, 3 limit ${MOST}`);
