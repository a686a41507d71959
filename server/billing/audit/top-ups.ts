import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type LedgerViolation, MOST } from './violation.ts';

/** Top-ups against their credits. */
export const auditTopUps = async (tx: Tx): Promise<LedgerViolation[]> => [
  ...(await topUpsAgainstCredits(tx)),
  ...(await creditsAgainstTopUps(tx)),
];

/** Common table expression: each account of a top-up with all its successors, itself included. */
export const successors = sql`
  line(start, id) as (
    select distinct account_id, account_id from top_up
    union
    select line.start, a.successor_id
      from line join billing_account a on a.id = line.id
     where a.successor_id is not null)`;

// A top-up whose money was captured has one credit, of its amount, to its account or a successor of
// it. Any other has none.
async function topUpsAgainstCredits(tx: Tx): Promise<LedgerViolation[]> {
  const topUps = await tx.many<{ id: string; status: string; credits: bigint; right: bigint }>(sql`
    with recursive ${successors}
    select * from (
      select t.id, t.status,
             t.status not in ('created', 'processing', 'failed') as paid,
             count(l.id) as credits,
             count(l.id) filter (
               where l.amount = t.amount and l.credit_account_id = l.account_id
                 and exists (
                   select from line where line.start = t.account_id and line.id = l.account_id))
               as right
        from top_up t left join ledger_transfer l on l.reference_id = t.id and l.kind = 'top_up'
       group by t.id) counted
     where case when paid then credits <> 1 or "right" <> 1 else credits <> 0 end
     order by id limit ${MOST}`);
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
