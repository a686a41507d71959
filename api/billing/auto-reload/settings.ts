import Type, { type TObject } from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';

/** Why auto-reload waits for a person. */
const PAUSED_REASONS = [
  'declined',
  'authentication_required',
  'card_lost',
  'refunded',
  'disputed',
] as const;
export type PausedReason = (typeof PAUSED_REASONS)[number];

/** Auto-reload as its row says, off when there is none. Amounts in micro-USD. */
export interface AutoReload {
  enabled: boolean;
  threshold: bigint | null;
  amount: bigint | null;
  monthly_cap: bigint | null;
  payment_method_id: string | null;
  paused_reason: PausedReason | null;
  last_charged_at: string | null;
  charged_this_month: bigint;
}

/** What both operations answer, for a person and for a workspace. */
export const autoReloadAnswer = {
  200: {
    description: 'Auto-reload as it is now; what was never set is left out.',
    schema: Type.Object({
      enabled: Type.Boolean(),
      threshold: Type.Optional(Type.String({ description: 'USD. Below it the card is charged.' })),
      amount: Type.Optional(Type.String({ description: 'USD. What a charge is at least.' })),
      monthly_cap: Type.Optional(Type.String({ description: 'USD per calendar month (UTC).' })),
      payment_method_id: Type.Optional(Type.String()),
      paused_reason: Type.Optional(
        Type.Enum([...PAUSED_REASONS], {
          description:
            'Nothing is charged until another card is chosen or funds were added by hand; after `refunded` and ' +
            '`disputed` also until it is switched off and on again.',
        }),
      ),
      last_charged_at: Type.Optional(timestamp()),
      charged_this_month: Type.String({ description: 'USD, open charges included.' }),
    }) as TObject,
    example: {
      enabled: true,
      threshold: '10.00',
      amount: '25.00',
      monthly_cap: '200.00',
      payment_method_id: 'pm_6xY1mQ0wVtB2nK8sLr4dPzaF',
      last_charged_at: '2026-11-21T08:15:30.123Z',
      charged_this_month: '50.00',
    },
  },
};

const SET = [
  'threshold',
  'amount',
  'monthly_cap',
  'payment_method_id',
  'paused_reason',
  'last_charged_at',
] as const;

/** The answer's body: what has no value is left out (ruling 1.14). */
export function shown(reload: AutoReload): Record<string, unknown> {
  const set = SET.filter((name) => reload[name] !== null).map((name) => {
    const value = reload[name];
    return [name, typeof value === 'bigint' ? usdText(value) : value];
  });
  const charged_this_month = usdText(reload.charged_this_month);
  return { enabled: reload.enabled, ...Object.fromEntries(set), charged_this_month };
}

/** One row, `AutoReload`, for the account that `account` names. */
export const autoReloadOf = (account: Sql): Sql => sql`
  select coalesce(r.enabled, false) as enabled, r.threshold, r.amount, r.monthly_cap, r.payment_method_id,
         r.paused_reason, ${timestampSql(sql`c.last_charged_at`)} as last_charged_at, c.spent as charged_this_month
    from billing_account a left join auto_reload r on r.account_id = a.id ${automaticCharges}
   where a.id = ${account}`;

/**
 * Joins `c`, the automatic charges of account `a`: `made` ever, `spent` this month (open ones count, for they may
 * succeed), `free_at`: when the next one may be made. One attempt an hour, whatever the card said; sooner when the
 * processor could not be reached.
 */
export const automaticCharges: Sql = sql`
  cross join lateral (
    select count(*) as made,
           coalesce(sum(t.amount) filter (
             where t.status <> 'failed' and t.created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint as spent,
           coalesce(bool_or(t.status in ('created', 'processing')), false) as open,
           max(t.created_at) filter (where t.status not in ('created', 'processing', 'failed')) as last_charged_at,
           coalesce(max(t.created_at + case when t.failure_code = 'not_executed' then interval '5 minutes'
                                            else interval '1 hour' end), '-infinity') as free_at
      from top_up t where t.account_id = a.id and t.automatic) c`;
