import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { recordChange } from '../audit/audit.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { fieldError, notFound, ValidationError } from '../http/errors.ts';
import { boolean, ignored, text, usdAmount, uuid } from '../http/input/fields.ts';
import { type Answer, type Caller, route } from '../http/route.ts';
import { askForAutoReload } from './auto-reload/auto-reload.ts';
import { type AutoReload, autoReloadAnswer, autoReloadOf, shown } from './auto-reload/settings.ts';
import { usdText } from './ledger/money.ts';
import type { TopUpLimits } from './top-ups/charge.ts';
import { topUpRefusals } from './top-ups/top-ups.ts';

const FIELDS = ['threshold', 'amount', 'monthly_cap', 'payment_method_id'] as const;
const { paymentMethodNotFound, paymentMethodForbidden, paymentMethodDetached } = topUpRefusals;

const needed = FIELDS.map((name) => fieldError('missing', ['body', name], 'Field required'));
const monthlyCapBelowAmount = fieldError(
  'monthly_cap_below_amount',
  ['body', 'monthly_cap'],
  'The monthly cap may not be below the amount of one charge',
);

const contract = (limits: TopUpLimits) => ({
  body: Type.Object(
    {
      enabled: Type.Optional(boolean()),
      // One charge can close the gap from zero.
      threshold: Type.Optional(usdAmount({ minimum: 0.01, maximum: limits.maximum })),
      amount: Type.Optional(usdAmount({ ...limits })),
      monthly_cap: Type.Optional(
        usdAmount({ minimum: limits.minimum, maximum: Math.max(1_000_000, limits.maximum) }),
      ),
      payment_method_id: Type.Optional(text({ minLength: 1, maxLength: 255 })),
      // What was read may be sent back as it is.
      paused_reason: Type.Optional(ignored()),
      last_charged_at: Type.Optional(ignored()),
      charged_this_month: Type.Optional(ignored()),
    },
    { additionalProperties: false },
  ),
  responses: autoReloadAnswer,
  errors: [
    paymentMethodNotFound,
    paymentMethodForbidden,
    paymentMethodDetached,
    ...needed,
    monthlyCapBelowAmount,
  ],
});

const RULES =
  'Off by default. When the balance falls below `threshold`, the card is charged once: `amount`, or what is missing ' +
  'to `threshold` if that is more; at most once an hour, and never over `monthly_cap` in a calendar month (UTC). A ' +
  'field that is left out keeps its value. Switching it on takes all of them, and a card of the caller. Three ' +
  'declines in a row pause it; so do a bank that asks for the cardholder, a lost card, and a refund or a dispute of any ' +
  'top-up of this balance, at once. Another card, or funds added by hand, resume it; after a refund or a dispute ' +
  'switching it off and on again does too.';

/** Switches auto-reload of the caller's own balance on or off, or changes when and what it charges. */
export const updateAutoReload = (limits: TopUpLimits) =>
  route({
    ...contract(limits),
    method: 'PUT',
    path: '/api/billing/auto-reload',
    area: 'Billing',
    operationId: 'update_auto_reload',
    summary: 'Update auto-reload',
    description: `Sets how the caller's balance is recharged by itself. ${RULES}`,
    access: ownAccount,
    handle: update,
  });

/** The same for a workspace's balance, by an owner or admin, from a card of their own. */
export const updateWorkspaceAutoReload = (limits: TopUpLimits) =>
  route({
    ...contract(limits),
    method: 'PUT',
    path: '/api/organizations/{org_id}/billing/auto-reload',
    area: 'Workspace Billing',
    operationId: 'update_workspace_auto_reload',
    summary: "Update a workspace's auto-reload",
    description:
      `Sets how the workspace's balance is recharged by itself. Owners and admins only. ${RULES} While it charges ` +
      "somebody else's card it can only be switched off, or be given a card of one's own; it is switched off when the " +
      'card belongs to somebody who is no longer an owner or admin, or does not meet the two-factor policy.',
    access: onWorkspaceAccount('add_funds'),
    params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
    handle: update,
  });

// Nothing is wrong with the card then: that a person switches it on again is enough.
const TAKEN_BACK: string[] = ['refunded', 'disputed'];

type Settings = Pick<AutoReload, 'enabled' | (typeof FIELDS)[number]>;

async function update(context: {
  body: { [Name in keyof Settings]?: NonNullable<Settings[Name]> };
  requestId: string;
  transaction(
    work: (
      tx: Tx,
      authorized: Caller & { account_id: string; organization_id?: string },
    ) => Promise<Answer>,
  ): Promise<Answer>;
}): Promise<Answer> {
  const { body, requestId, transaction } = context;
  return transaction(async (tx, { account_id, organization_id, ...caller }) => {
    const before = await lock(tx, account_id);
    const after = { ...before, ...body };
    const changed = ['enabled' as const, ...FIELDS].some((name) => before[name] !== after[name]);
    if (!changed) return { status: 200, body: shown(before) };
    const missing = after.enabled
      ? needed.filter((_, i) => after[FIELDS[i] as keyof Settings] === null)
      : [];
    if (missing.length > 0) throw new ValidationError(missing.map(({ item }) => item));
    // A card may only be charged as its owner wants it: whoever keeps it charged must own it.
    const chosen = after.payment_method_id !== before.payment_method_id;
    const fresh = (chosen || after.enabled) && (await checkCard(tx, after, before, caller.userId));
    if (after.enabled && (after.monthly_cap as bigint) < (after.amount as bigint))
      throw monthlyCapBelowAmount(usdText(after.monthly_cap as bigint));

    const anew =
      after.enabled && !before.enabled && TAKEN_BACK.includes(before.paused_reason ?? '');
    await save(tx, account_id, after, { fresh, resumed: fresh || anew });
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
    if (after.enabled) await askForAutoReload(tx, account_id);
    return { status: 200, body: shown(after) };
  });
}

// The account's row stands for the auto-reload that may not be there yet: changes and charges come one by one.
async function lock(tx: Tx, accountId: string): Promise<AutoReload> {
  const account = await tx.maybeOne(sql`
    select id from billing_account where id = ${accountId} and status <> 'closed' for update`);
  // Its workspace was deleted since the caller was let in.
  if (account === undefined) throw notFound();
  return tx.one(autoReloadOf(sql`${accountId}`));
}

// True when it is another card than before, not the same one saved again: what the old one did is forgotten.
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
     where p.id = ${after.payment_method_id}`);
  if (card === undefined) throw paymentMethodNotFound();
  if (card.user_id !== userId) throw paymentMethodForbidden();
  if (card.detached) throw paymentMethodDetached(after.payment_method_id);
  return card.fresh;
}

async function save(
  tx: Tx,
  accountId: string,
  to: Settings,
  { fresh, resumed }: { fresh: boolean; resumed: boolean },
): Promise<void> {
  await tx.many(sql`
    insert into auto_reload as r (account_id, enabled, threshold, amount, monthly_cap, payment_method_id)
    values (${accountId}, ${to.enabled}, ${to.threshold}, ${to.amount}, ${to.monthly_cap}, ${to.payment_method_id})
    on conflict (account_id) do update
       set (enabled, threshold, amount, monthly_cap, payment_method_id, updated_at) =
           (excluded.enabled, excluded.threshold, excluded.amount, excluded.monthly_cap, excluded.payment_method_id, now()),
           paused_reason = case when ${resumed} then null else r.paused_reason end,
           declines_since = case when ${fresh} then now() else r.declines_since end`);
}

function audited(reload: AutoReload): Record<string, unknown> {
  const { last_charged_at, charged_this_month, ...rest } = shown(reload);
  return rest;
}
