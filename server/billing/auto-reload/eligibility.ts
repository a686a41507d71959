import { type Sql, sql } from '../../db/sql.ts';
import { microUsd } from '../ledger/money.ts';
import { seesBilling } from '../ledger/sees-billing.ts';
import { setsAutoReload } from '../top-ups/may-charge.ts';
import type { TopUpLimits } from '../top-ups/top-up.ts';

/** Micro-USD of an amount of the configuration. */
export const micro = (usd: number): bigint => microUsd(String(usd)) as bigint;

/**
 * Joins `c`, the automatic charges of account `a`: `made` is their number, `spent` their sum this
 * month (open ones count, because they may succeed), `free_at` when the next one may be made. There
 * is one attempt an hour, whatever its result, and an earlier one after a charge that was never
 * sent.
 */
export const automaticCharges: Sql = sql`
  cross join lateral (
    select count(*) as made,
           coalesce(sum(t.amount) filter (
             where t.status <> 'failed'
               and t.created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint as spent,
           coalesce(bool_or(t.status in ('created', 'processing')), false) as open,
           max(t.created_at) filter (
             where t.status not in ('created', 'processing', 'failed')) as last_charged_at,
           coalesce(max(t.created_at + case
                               when t.failure_code = 'not_executed' then interval '5 minutes'
                               else interval '1 hour' end), '-infinity') as free_at
      from top_up t where t.account_id = a.id and t.automatic) c`;

/** `r` auto-reload, `a` its account, `p` its card, `c` its automatic charges. */
export const autoReloads = sql`
  auto_reload r
  join billing_account a on a.id = r.account_id
  join payment_method p on p.id = r.payment_method_id
  ${automaticCharges}`;

/** Of those, the ones that may charge at all. */
export const isRunning = sql`
  r.enabled and r.paused_reason is null and r.threshold is not null and a.status <> 'closed'`;

/** What can be spent, plus what open top-ups may bring: one of them may already close the gap. */
export const available = sql`(a.balance - a.held + (
  select coalesce(sum(t.amount), 0)::bigint from top_up t
   where t.account_id = a.id and t.status in ('created', 'processing')))`;

/** Whether the account is low enough, and its last charge and its month allow another one. */
export const isDue = ({ minimum }: TopUpLimits): Sql => sql`
  (a.balance - a.held < r.threshold and ${available} < r.threshold
   and not c.open and c.free_at <= now()
   and c.spent + ${micro(minimum)}::bigint <= r.monthly_cap
   -- What a refund holds is returned to a card: charging a card in its place would undo the refund.
   and not exists (
     select from hold h
      where h.account_id = a.id and h.status = 'open' and h.reference_type = 'refund'))`;

/**
 * Whether the card may be charged for this account: its person sees the billing of the account, so in
 * a workspace is still its owner or an admin who meets its two-factor policy (ruling 5.5), and there
 * has set the figures (ruling 10.2).
 */
export const mayBeCharged = sql`
  exists (
    select from app_user u where u.id = p.user_id and ${seesBilling} and ${setsAutoReload})`;
