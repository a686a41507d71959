import Type, { type TObject } from 'typebox';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { etag, matches } from '../../http/preconditions.ts';
import type { Answer } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';
import { PAUSED_REASONS, type PausedReason } from '../top-ups/pause-auto-reload.ts';
import { automaticCharges } from './eligibility.ts';

/** The row of auto-reload; off if there is none. Amounts are micro-USD. */
export interface AutoReload {
  enabled: boolean;
  threshold: bigint | null;
  amount: bigint | null;
  monthly_cap: bigint | null;
  payment_method_id: string | null;
  /** The person who set the card and the figures: always the same one (ruling 10.2). */
  set_by_user_id: string | null;
  paused_reason: PausedReason | null;
  last_charged_at: string | null;
  charged_this_month: bigint;
  /** Changes with every change except a charge. */
  revision: string;
}

/** The answer of every operation on auto-reload, for a person and for a workspace. */
export const autoReloadAnswer = {
  200: {
    description: 'The current auto-reload; fields that were never set are omitted.',
    headers: ['ETag'],
    schema: Type.Object({
      enabled: Type.Boolean(),
      threshold: Type.Optional(
        Type.String({
          description: 'USD. The card is charged when the available balance falls below it.',
        }),
      ),
      amount: Type.Optional(Type.String({ description: 'USD. The minimum of a charge.' })),
      monthly_cap: Type.Optional(Type.String({ description: 'USD per calendar month (UTC).' })),
      payment_method_id: Type.Optional(Type.String()),
      paused_reason: Type.Optional(
        Type.Enum([...PAUSED_REASONS], {
          description:
            'Nothing is charged until another card is chosen or the owner of the card adds ' +
            'funds by hand; after `refunded` and `disputed` also until it is switched off and ' +
            'on again.',
        }),
      ),
      last_charged_at: Type.Optional(timestamp()),
      charged_this_month: Type.String({ description: 'USD, including open charges.' }),
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

/** The body of the answer; fields without a value are omitted (ruling 1.14). */
export function shown(reload: AutoReload): Record<string, unknown> {
  const set = SET.filter((name) => reload[name] !== null).map((name) => {
    const value = reload[name];
    return [name, typeof value === 'bigint' ? usdText(value) : value];
  });
  const charged_this_month = usdText(reload.charged_this_month);
  return { enabled: reload.enabled, ...Object.fromEntries(set), charged_this_month };
}

export const answer = (reload: AutoReload): Answer => ({
  status: 200,
  body: shown(reload),
  headers: { etag: etag(reload.revision) },
});

/** The time of the last change in microseconds, as text. */
export const revisionOf = (updatedAt: Sql): Sql =>
  sql`coalesce((extract(epoch from ${updatedAt}) * 1000000)::bigint, 0)::text`;

/**
 * One row, `AutoReload`, for the account that `account` selects. With `locked`, the row of the
 * settings is locked, and `expected` says whether `ifMatch` allows its revision.
 */
export const autoReloadOf = (account: Sql, locked?: { ifMatch: string | undefined }): Sql => sql`
  select coalesce(r.enabled, false) as enabled, r.threshold, r.amount, r.monthly_cap,
         r.payment_method_id, coalesce(a.user_id, s.user_id) as set_by_user_id, r.paused_reason,
         ${timestampSql(sql`c.last_charged_at`)} as last_charged_at,
         c.spent as charged_this_month,
         ${revisionOf(sql`r.updated_at`)} as revision,
         ${matches(locked?.ifMatch, revisionOf(sql`r.updated_at`))} as expected
    from billing_account a
    left join lateral (
      select * from auto_reload
       where account_id = a.id ${locked ? sql`for update` : nothing}) r on true
    left join auto_reload_set_by s on s.account_id = a.id
    ${automaticCharges}
   where a.id = ${account}`;
