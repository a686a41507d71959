import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * The other side of every customer's row. Balances of system accounts are computed when needed, not
 * updated with each posting.
 */
const SYSTEM_ACCOUNTS = {
  processor_clearing: '00000000-0000-4000-9000-000000000001',
  transfer_clearing: '00000000-0000-4000-9000-000000000002',
  revenue: '00000000-0000-4000-9000-000000000003',
  disputes: '00000000-0000-4000-9000-000000000004',
  promotions: '00000000-0000-4000-9000-000000000005',
  write_offs: '00000000-0000-4000-9000-000000000006',
  /** Where test money goes when it becomes void. */
  test_money: '00000000-0000-4000-9000-000000000007',
} as const;

/** One posting: `amount` micro-USD > 0 moves between a customer's account and a system account. */
export interface Posting {
  /** Names the event: the database refuses a second posting with the same key. */
  key: string;
  kind:
    | 'top_up'
    | 'promotion'
    | 'grant'
    | 'balance_transfer'
    | 'refund'
    | 'dispute'
    | 'dispute_reversal'
    | 'refund_reversal'
    | 'usage'
    | 'write_off'
    | 'void';
  accountId: string;
  /** The effect on the customer's balance: a credit increases it. */
  side: 'credit' | 'debit';
  counterpart: keyof typeof SYSTEM_ACCOUNTS;
  amount: bigint;
  reference: { type: string; id: string };
}

/**
 * Posts one row; the database updates the account's balance and version with it, and the outbox
 * gets a message if this made the balance low. Returns the balance right after the posting. Lock the account first if a decision depends on its balance.
 */
export async function post(
  tx: Tx,
  posting: Posting,
): Promise<{ balance: bigint; version: bigint }> {
  const { accountId, side, amount } = posting;
  const system = SYSTEM_ACCOUNTS[posting.counterpart];
  const [debit, credit] = side === 'credit' ? [system, accountId] : [accountId, system];
  return tx.one(sql`
    with posted as (
      insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
        amount, account_id,
                                   reference_type, reference_id)
      values (${posting.key}, ${posting.kind}, ${debit}, ${credit}, ${amount}, ${accountId},
              ${posting.reference.type}, ${posting.reference.id})
      returning id, kind, account_id, previous_balance, balance, version),
    ${noteLowBalance}
    select balance, version from posted`);
}

// Micro-USD: 5.00 USD where auto-reload is off. A balance falls below its threshold once until it was
// above it again.
const noteLowBalance = sql`
  low as (
    insert into outbox (topic, key, payload)
    select 'low_balance', p.id,
           jsonb_build_object('account_id', p.account_id, 'threshold', coalesce(r.threshold, 5000000))
      from posted p
      left join auto_reload r on r.account_id = p.account_id and r.enabled
     where p.kind <> 'void' and p.balance < coalesce(r.threshold, 5000000)
       and p.previous_balance >= coalesce(r.threshold, 5000000))`;

/** What decisions about money need of an account. Amounts in micro-USD. */
export interface Account {
  id: string;
  balance: bigint;
  held: bigint;
  status: 'active' | 'frozen' | 'closed';
}

/**
 * Moves `amount` between two customers: two rows through the clearing account, which nets to zero.
 * Lock both first.
 */
export async function moveBalance(
  tx: Tx,
  move: {
    key: string;
    fromId: string;
    toId: string;
    amount: bigint;
    reference: Posting['reference'];
  },
): Promise<void> {
  const { key, amount, reference } = move;
  const common = {
    kind: 'balance_transfer',
    counterpart: 'transfer_clearing',
    amount,
    reference,
  } as const;
  await post(tx, { ...common, key: `${key}:debit`, accountId: move.fromId, side: 'debit' });
  await post(tx, { ...common, key: `${key}:credit`, accountId: move.toId, side: 'credit' });
}

/**
 * Closes an empty account permanently, and ends its limits; money that still arrives for it goes to its successor
 * (ruling 3.8).
 */
export async function closeAccount(tx: Tx, accountId: string, successorId: string): Promise<void> {
  await tx.one(sql`
    with ended as (delete from spend_limit where account_id = ${accountId})
    update billing_account set status = 'closed', successor_id = ${successorId}
     where id = ${accountId} and balance = 0 and held = 0 returning id`);
}

/** The open account in place of this one: itself, or the last in its line of successors. Locked. */
export async function lockAccountOrSuccessor(
  tx: Tx,
  accountId: string,
): Promise<Account & { organization_id: string | null }> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const account = await tx.maybeOne<Account & { organization_id: string | null }>(sql`
      with recursive line as (
        select id, successor_id from billing_account where id = ${accountId}
        union all
        select a.id, a.successor_id from line join billing_account a on a.id = line.successor_id)
      select a.id, a.balance, a.held, a.status, a.organization_id
        from billing_account a join line on line.id = a.id
          where a.status <> 'closed' for update of a`);
    // No row: the account was closed while this waited for its lock. The next statement sees its
    // successor.
    if (account !== undefined) return account;
  }
  throw new Error(`account ${accountId} has no open successor`);
}

/**
 * The account that pays for what goes back to a top-up's card: the one that was topped up or, once
 * that is closed, the payer's personal account, because it is their bank that gives them the money.
 * Locked.
 */
export async function lockPayingAccount(
  tx: Tx,
  topUp: { account_id: string; user_id: string },
): Promise<Account> {
  const open = await tx.maybeOne<Account>(sql`
    select id, balance, held, status from billing_account
     where id = ${topUp.account_id} and status <> 'closed' for update`);
  if (open !== undefined) return open;
  return tx.one(sql`
    select id, balance, held, status from billing_account
      where user_id = ${topUp.user_id} for update`);
}
