import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { BALANCE_LIMIT, balanceLimit } from './balance-limit.ts';
import { type Account, closeAccount, moveBalance } from './ledger.ts';
import { usdText } from './money.ts';

/** Why a workspace cannot be transferred or deleted: a code for programs, a sentence for people. */
interface Blocker {
  code:
    | 'negative_balance'
    | 'top_up_in_flight'
    | 'holds_open'
    | 'test_money_ends'
    | 'auto_reload_on_previous_owners_card';
  message: string;
}

/**
 * Closes the account of a workspace that is being deleted (ruling 3): its balance, and whatever a
 * late charge may still credit, goes to the user `recipientId`. With unsettled money nothing
 * changes and the blockers are returned. Throws balanceLimit. Lock the workspace first.
 * `transferred`: USD as decimal text.
 */
export async function closeWorkspaceAccount(
  tx: Tx,
  organizationId: string,
  recipientId: string,
): Promise<{ blockers: Blocker[]; transferred: string }> {
  // In id order, so that two requests cannot deadlock.
  const accounts = await tx.many<Account & { kind: 'workspace' | 'user' }>(sql`
    select id, balance, held, status, kind from billing_account
     where organization_id = ${organizationId} or user_id = ${recipientId} order by id for update`);
  const workspace = accounts.find(({ kind }) => kind === 'workspace');
  const recipient = accounts.find(({ kind }) => kind === 'user');
  if (workspace === undefined || recipient === undefined)
    throw new Error('a workspace or a user has no account');

  const blockers = await openMoney(tx, workspace);
  if (blockers.length > 0) return { blockers, transferred: usdText(0n) };
  if (workspace.balance > 0n) {
    const { coming, voiding } = await movable(tx, recipient.id);
    if (voiding) return { blockers: [TEST_MONEY_ENDS], transferred: usdText(0n) };
    if (recipient.balance + coming + workspace.balance > BALANCE_LIMIT) throw balanceLimit();
    const reference = { type: 'organization', id: organizationId };
    const key = `organization:${organizationId}:deleted`;
    await moveBalance(tx, {
      key,
      fromId: workspace.id,
      toId: recipient.id,
      amount: workspace.balance,
      reference,
    });
  }
  await switchOffAutoReload(tx, workspace.id);
  await closeAccount(tx, workspace.id, recipient.id);
  return { blockers: [], transferred: usdText(workspace.balance) };
}

/**
 * Prepares the account of a workspace for a new owner (ruling 5.5). Without `force`, any blocker
 * stops it and nothing changes. With it, auto-reload is switched off if its card belongs to the
 * previous owner, because a card is never charged for another person's workspace. Lock the
 * workspace first.
 */
export async function handOverWorkspaceAccount(
  tx: Tx,
  organizationId: string,
  previousOwnerId: string,
  force: boolean,
): Promise<{ blockers: Blocker[] }> {
  const account = await tx.one<Account>(sql`
    select id, balance, held, status from billing_account
      where organization_id = ${organizationId} for update`);
  const blockers = (await openMoney(tx, account)).filter(({ code }) => code !== 'holds_open');
  const reload = await tx.maybeOne(sql`
    select r.account_id from auto_reload r join payment_method p on p.id = r.payment_method_id
     where r.account_id = ${account.id} and r.enabled and p.user_id = ${previousOwnerId}`);
  if (reload !== undefined) {
    const message =
      "Auto-reload charges the previous owner's card: choose another card or switch it off";
    blockers.push({ code: 'auto_reload_on_previous_owners_card', message });
    if (force) await switchOffAutoReload(tx, account.id);
  }
  return { blockers };
}

/**
 * Switches auto-reload of a workspace off if it charges a card of a person who is leaving, because
 * a card is never charged for another person's workspace. Returns the account then. Lock the
 * workspace first.
 */
export async function stopChargingCardsOf(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<string | undefined> {
  // While the account is locked, auto-reload cannot be switched on and nothing is charged.
  const { id } = await tx.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${organizationId} for update`);
  const charged = await tx.maybeOne(sql`
    select r.account_id from auto_reload r join payment_method p on p.id = r.payment_method_id
     where r.account_id = ${id} and r.enabled and p.user_id = ${userId}`);
  if (charged === undefined) return undefined;
  await switchOffAutoReload(tx, id);
  return id;
}

const TEST_MONEY_ENDS: Blocker = {
  code: 'test_money_ends',
  message: 'Test money is being taken out of all balances: try again in a moment',
};

/**
 * Whether a balance may move to an account. `coming`: open top-ups must still fit if they succeed.
 * `voiding`: test money is being voided, account by account, and what moved from one that is still to
 * come to one that is done would become real. The mode stays until the end of the transaction.
 */
const movable = (tx: Tx, accountId: string): Promise<{ coming: bigint; voiding: boolean }> =>
  tx.one(sql`
    with mode as materialized (
      select not test_money and voided_at is null as voiding from billing_mode for share)
    select coalesce(sum(amount), 0)::bigint as coming,
           coalesce((select voiding from mode), false) as voiding
      from top_up where account_id = ${accountId} and status in ('created', 'processing')`);

/** Whether a workspace has blockers that `closeWorkspaceAccount` would return, as SQL. */
export const hasOpenMoney = (organizationId: Sql): Sql => sql`
  exists (select from billing_account a
           where a.organization_id = ${organizationId}
             and (a.balance < 0 or a.held > 0
                  or exists (select from top_up
                              where account_id = a.id and status in ('created', 'processing'))))`;

/** What is not settled yet of an account. Lock it first. */
export async function openMoney(tx: Tx, account: Account): Promise<Blocker[]> {
  const { top_ups } = await tx.one<{ top_ups: bigint }>(sql`
    select count(*) as top_ups from top_up
      where account_id = ${account.id} and status in ('created', 'processing')`);
  const blockers: Blocker[] = [];
  if (account.balance < 0n)
    blockers.push({
      code: 'negative_balance',
      message: 'The balance is negative: add funds first',
    });
  if (top_ups > 0n) {
    blockers.push({
      code: 'top_up_in_flight',
      message: 'The outcome of a top-up is not known yet: wait until it is',
    });
  }
  if (account.held > 0n) {
    blockers.push({
      code: 'holds_open',
      message: 'Running work holds part of the balance: wait until it has finished',
    });
  }
  return blockers;
}

/** Lock the account first. */
export async function switchOffAutoReload(tx: Tx, accountId: string): Promise<void> {
  await tx.many(
    sql`
      update auto_reload
         set enabled = false,
             updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
       where account_id = ${accountId}`,
  );
}
