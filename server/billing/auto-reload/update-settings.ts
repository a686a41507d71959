import Type from 'typebox';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError, fieldError, notFound, ValidationError } from '../../http/errors.ts';
import type { Examples } from '../../http/examples.ts';
import { boolean, ignored, text, usdAmount } from '../../http/input/fields.ts';
import type { Answer } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { usdText } from '../ledger/money.ts';
import { newRevision, requestCheck } from '../top-ups/pause-auto-reload.ts';
import { type TopUpLimits, topUpErrors } from '../top-ups/top-up.ts';
import {
  type AutoReload,
  answer,
  autoReloadAnswer,
  autoReloadOf,
  revisionOf,
  shown,
} from './settings.ts';

const FIELDS = ['threshold', 'amount', 'monthly_cap', 'payment_method_id'] as const;
const { paymentMethodNotFound, paymentMethodForbidden, paymentMethodDetached } = topUpErrors;

const needed = FIELDS.map((name) => fieldError('missing', ['body', name], 'Field required'));
const monthlyCapBelowAmount = fieldError(
  'monthly_cap_below_amount',
  ['body', 'monthly_cap'],
  'The monthly cap must not be less than the amount of one charge',
);
const ofAnotherPerson = apiError(
  403,
  'auto_reload_of_another_person',
  'Another person chose the settings of this auto-reload. Switch it off with ' +
    '{"enabled": false} alone, or replace it: send threshold, amount, monthly_cap and the ' +
    'payment_method_id of a card of your own together',
);
const autoReloadChanged = apiError(
  412,
  'auto_reload_changed',
  'Auto-reload has changed since you read it: read it again, then update it',
);

/** What both update operations take and answer. `limits`: USD that one charge may be. */
export const updateContract = (limits: TopUpLimits) => ({
  body: Type.Object(
    {
      enabled: Type.Optional(boolean()),
      // So that one charge can close the gap from zero.
      threshold: Type.Optional(usdAmount({ minimum: 0.01, maximum: limits.maximum })),
      amount: Type.Optional(usdAmount({ ...limits })),
      monthly_cap: Type.Optional(
        usdAmount({ minimum: limits.minimum, maximum: Math.max(1_000_000, limits.maximum) }),
      ),
      payment_method_id: Type.Optional(text({ minLength: 1, maxLength: 255 })),
      // Read-only fields may be sent back unchanged.
      paused_reason: Type.Optional(ignored()),
      last_charged_at: Type.Optional(ignored()),
      charged_this_month: Type.Optional(ignored()),
    },
    { additionalProperties: false },
  ),
  headers: { 'If-Match': 'The ETag of the auto-reload that you have read.' },
  sample: ({ payment_method_id }: Examples) => ({
    body: { threshold: 10, amount: 25, monthly_cap: 200, payment_method_id },
  }),
  responses: autoReloadAnswer,
  errors: [
    ofAnotherPerson,
    autoReloadChanged,
    paymentMethodNotFound,
    paymentMethodForbidden,
    paymentMethodDetached,
    ...needed,
    monthlyCapBelowAmount,
  ],
});

/** The description of both update operations. */
export const RULES =
  'Off by default. When the available balance falls below `threshold`, the card is charged ' +
  'once: `amount`, or the difference to `threshold` if that is more; at most once an hour, and ' +
  'never beyond `monthly_cap` in a calendar month (UTC). A field that is omitted keeps its ' +
  'value. Switching it on takes all of them, and a card of the caller. It pauses after three ' +
  'declines in a row, and immediately when the bank requires the cardholder, when the card is ' +
  'lost, and after a refund or dispute of any top-up of this balance. Choosing another card ' +
  'resumes it, as do funds that the owner of the card adds; after a refund or dispute, so does ' +
  'switching it off and on. Send the `ETag` of the auto-reload that you have read as ' +
  '`If-Match` to avoid overwriting a later change.';

// Nothing is wrong with the card then, so it is enough that a person switches it on again.
const TAKEN_BACK: string[] = ['refunded', 'disputed'];

type Settings = Pick<AutoReload, 'enabled' | (typeof FIELDS)[number]>;
type Changes = { [Name in keyof Settings]?: NonNullable<Settings[Name]> };

/** Changes the settings of the request's account, if the caller may change them (ruling 10.2). */
export async function updateSettings(context: {
  body: Changes;
  headers: Record<string, string | undefined>;
  requestId: string;
  transaction(
    work: (
      tx: Tx,
      authorized: Caller & { account_id: string; organization_id?: string },
    ) => Promise<Answer>,
  ): Promise<Answer>;
}): Promise<Answer> {
  const { body, headers, requestId, transaction } = context;
  return transaction(async (tx, { account_id, organization_id, ...caller }) => {
    const before = await lock(tx, account_id, headers['if-match']);
    if (!before.expected) throw autoReloadChanged();
    const takesOver = replacesAnothers(body, before, caller.userId);
    const after = { ...before, ...body };
    const changed = ['enabled' as const, ...FIELDS].some((name) => before[name] !== after[name]);
    if (!changed && !takesOver) return answer(before);
    const missing = after.enabled
      ? needed.filter((_, i) => after[FIELDS[i] as keyof Settings] === null)
      : [];
    if (missing.length > 0) throw new ValidationError(missing.map(({ item }) => item));
    const chosen = after.payment_method_id !== before.payment_method_id;
    const fresh =
      (chosen || takesOver || after.enabled) && (await checkCard(tx, after, before, caller.userId));
    if (after.enabled && (after.monthly_cap as bigint) < (after.amount as bigint))
      throw monthlyCapBelowAmount(usdText(after.monthly_cap as bigint));

    const anew =
      after.enabled && !before.enabled && TAKEN_BACK.includes(before.paused_reason ?? '');
    if (FIELDS.some((name) => body[name] !== undefined)) after.set_by_user_id = caller.userId;
    after.revision = await save(tx, account_id, after, { fresh, resumed: fresh || anew });
    if (fresh || anew) after.paused_reason = null;
    await recordChange(tx, {
      caller,
      action: 'auto_reload.update',
      target: account_id,
      ...(organization_id === undefined ? {} : { organizationId: organization_id }),
      before: audited(before),
      after: audited(after),
      requestId,
    });
    if (after.enabled) await requestCheck(tx, account_id);
    return answer(after);
  });
}

// Card and figures always belong to one person, and no other person decides what that card is
// charged. True if the caller replaces everything that another person has set. What counts is which
// fields are sent, not whether they differ.
function replacesAnothers(body: Changes, before: AutoReload, userId: string): boolean {
  const nothingSet = FIELDS.every((name) => before[name] === null);
  if (nothingSet || before.set_by_user_id === userId) return false;
  const sent = FIELDS.filter((name) => body[name] !== undefined);
  if (sent.length === FIELDS.length) return true;
  if (sent.length > 0 || body.enabled === true) throw ofAnotherPerson();
  return false;
}

// The account's row is locked in place of the settings, which may not exist yet, so that changes
// and charges are serialized.
async function lock(
  tx: Tx,
  accountId: string,
  ifMatch: string | undefined,
): Promise<AutoReload & { expected: boolean }> {
  const account = await tx.maybeOne(sql`
    select id from billing_account where id = ${accountId} and status <> 'closed' for update`);
  // Its workspace was deleted after the request was authorized.
  if (account === undefined) throw notFound();
  return tx.one(autoReloadOf(sql`${accountId}`, { ifMatch }));
}

// True if it is a different card, not the same one saved again: the history of the old card is then
// forgotten.
async function checkCard(
  tx: Tx,
  after: Settings,
  before: Settings,
  userId: string,
): Promise<boolean> {
  const card = await tx.maybeOne<{ user_id: string; detached: boolean; fresh: boolean }>(sql`
    select p.user_id, p.detached_at is not null as detached,
           p.id is distinct from old.id and (p.fingerprint = old.fingerprint) is not true as fresh
      from payment_method p left join payment_method old on old.id = ${before.payment_method_id}
     where p.id = ${after.payment_method_id} for share of p`);
  if (card === undefined) throw paymentMethodNotFound();
  if (card.user_id !== userId) throw paymentMethodForbidden();
  if (card.detached) throw paymentMethodDetached(after.payment_method_id);
  return card.fresh;
}

/** Returns the new revision. */
async function save(
  tx: Tx,
  accountId: string,
  to: Settings & Pick<AutoReload, 'set_by_user_id'>,
  { fresh, resumed }: { fresh: boolean; resumed: boolean },
): Promise<string> {
  const { revision } = await tx.one<{ revision: string }>(sql`
    with saved as (
      insert into auto_reload as r
        (account_id, enabled, threshold, amount, monthly_cap, payment_method_id, updated_at)
      values
        (${accountId}, ${to.enabled}, ${to.threshold}, ${to.amount}, ${to.monthly_cap},
         ${to.payment_method_id}, clock_timestamp())
      on conflict (account_id) do update
         set enabled = excluded.enabled,
             threshold = excluded.threshold,
             amount = excluded.amount,
             monthly_cap = excluded.monthly_cap,
             payment_method_id = excluded.payment_method_id,
             paused_reason = case when ${resumed} then null else r.paused_reason end,
             declines_since = case when ${fresh} then now() else r.declines_since end,
             updated_at = ${newRevision}
      returning r.updated_at),
    set_by as (
      insert into auto_reload_set_by as s (account_id, user_id)
      select ${accountId}, user_id from (values (${to.set_by_user_id}::uuid)) person(user_id)
       where user_id is not null
      on conflict (account_id) do update set user_id = excluded.user_id
       where s.user_id <> excluded.user_id)
    select ${revisionOf(sql`updated_at`)} as revision from saved`);
  return revision;
}

function audited(reload: AutoReload): Record<string, unknown> {
  const { last_charged_at, charged_this_month, ...rest } = shown(reload);
  return rest;
}
