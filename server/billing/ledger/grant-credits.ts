import { randomUUID } from 'node:crypto';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { BALANCE_LIMIT } from './balance-limit.ts';
import { post } from './ledger.ts';

/** Whose balance: that of a workspace, or a person's own. */
export type Grantee = { workspaceId: string } | { userId: string };

/** Micro-USD > 0. Under one `key` at most one grant is ever made. */
interface Grant {
  to: Grantee;
  amount: bigint;
  reason: string;
  key: string | undefined;
}

/**
 * What became of a grant. `repeated`: it was made before under this key; `balance` is that right
 * after it.
 */
export type Granted =
  | { kind: 'granted' | 'repeated'; transferId: string; balance: bigint }
  | { kind: 'unknown' | 'reused' | 'tooMuch' };

/**
 * Adds what the operator gives to a balance: one posting, which refers to the audit event that
 * `record` writes with the id that it gets.
 */
export async function grantCredits(
  tx: Tx,
  { to, amount, reason, key }: Grant,
  record: (event: { id: string; before: bigint; after: bigint }) => Promise<void>,
): Promise<Granted> {
  // Top-ups that are open must still fit if they succeed.
  const account = await tx.maybeOne<{ id: string; balance: bigint; coming: bigint }>(sql`
    select a.id, a.balance,
           (select coalesce(sum(amount), 0)::bigint from top_up
             where account_id = a.id and status in ('created', 'processing')) as coming
      from billing_account a
     where a.status <> 'closed'
       and ${
         'userId' in to ? sql`a.user_id = ${to.userId}` : sql`a.organization_id = ${to.workspaceId}`
       }
       for update`);
  if (account === undefined) return { kind: 'unknown' };
  const ledgerKey = `grant:${key ?? randomUUID()}`;
  const known = await tx.maybeOne<{ id: string; balance: bigint; same: boolean }>(sql`
    select l.id, l.balance,
           l.account_id = ${account.id} and l.amount = ${amount}
             and e.after ->> 'reason' = ${reason} as same
      from ledger_transfer l join audit_event e on e.id = l.reference_id
     where l.idempotency_key = ${ledgerKey}`);
  if (known !== undefined)
    return known.same
      ? { kind: 'repeated', transferId: known.id, balance: known.balance }
      : { kind: 'reused' };
  if (account.balance + account.coming + amount > BALANCE_LIMIT) return { kind: 'tooMuch' };
  const id = randomUUID();
  await record({ id, before: account.balance, after: account.balance + amount });
  const { balance } = await post(tx, {
    key: ledgerKey,
    kind: 'grant',
    accountId: account.id,
    side: 'credit',
    counterpart: 'promotions',
    amount,
    reference: { type: 'audit_event', id },
  });
  const posted = await tx.one<{ id: string }>(sql`
    select id from ledger_transfer where idempotency_key = ${ledgerKey}`);
  return { kind: 'granted', transferId: posted.id, balance };
}
