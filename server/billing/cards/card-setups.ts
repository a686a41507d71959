import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { timestampSql } from '../../http/timestamps.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CardState, SetupBegun } from './card-keeper.ts';
import { requestDetach } from './detach-cards.ts';
import { CARDS_PER_PERSON, keepCard, lockPerson, type SavedBy } from './keep-card.ts';
import type { Processor } from './processor.ts';

/** An attempt to save a card, as its person sees it. */
interface CardSetup {
  id: string;
  status: 'open' | 'succeeded' | 'failed';
  payment_method_id?: string;
  failure_code?: string;
  created_at: string;
}

/** Attempts to save a card, of one processor. */
export interface CardSetups {
  readonly processor: Processor['name'];
  /** What a browser needs to load Stripe's script; undefined if the operator has not set it. */
  readonly publishableKey: string | undefined;
  /** Asks the processor for an attempt. `id` is its processor's, `setupId` ours. */
  begin(
    accountId: string,
    testCard: string | undefined,
  ): Promise<{ setupId: string; begun: SetupBegun }>;
  /** Records the attempt; undefined if the person has as many cards as they may. */
  record(
    tx: Tx,
    setup: { setupId: string; id: string },
    by: CallerOf,
  ): Promise<CardSetup | undefined>;
  /**
   * Saves the card of an attempt that was completed, once, whoever asks how often; `by` is who is
   * named in the audit trail instead of the person who began it. Returns the attempt as it is then.
   */
  settle(setupId: string, by?: CallerOf): Promise<CardSetup>;
  /** Ends an attempt that was not completed in time. */
  abandon(setupId: string): Promise<CardSetup>;
}

interface CallerOf {
  caller: Caller;
  requestId: string;
}

interface Row {
  user_id: string;
  key_id: string | null;
  session_id: string | null;
  request_id: string;
  processor_id: string;
}

export function cardSetups(
  db: Database,
  { name, cards }: Pick<Processor, 'name' | 'cards'>,
  { publishableKey, log }: { publishableKey?: string | undefined; log?: Logger } = {},
): CardSetups {
  return {
    processor: name,
    publishableKey,
    begin: async (accountId, testCard) => {
      const setupId = randomUUID();
      const begun = await cards.begin({ setupId, accountId, testCard });
      if (begun.kind === 'unavailable')
        log?.error({ setupId, reason: begun.reason }, 'the card processor saves no card');
      return { setupId, begun };
    },
    record: (tx, setup, by) => record(tx, name, setup, by),
    settle: (setupId, by) => settle(setupId, 'read', by),
    abandon: (setupId) => settle(setupId, 'cancel'),
  };

  async function settle(
    setupId: string,
    how: 'read' | 'cancel',
    by?: CallerOf,
  ): Promise<CardSetup> {
    const setup = await db.maybeOne<Row>(sql`
      select user_id, key_id, session_id, request_id, processor_id from card_setup
       where id = ${setupId} and status = 'open' and processor = ${name}`);
    if (setup === undefined) return shown(setupId);
    const state = await cards[how](setup.processor_id);
    if (state.kind === 'unknown')
      log?.warn({ setupId, reason: state.reason }, 'the card processor could not be asked');
    if (state.kind === 'canceled') await fail(db, setupId, 'canceled');
    if (state.kind === 'succeeded') {
      const card = await cards.card(state.token);
      if (card.kind !== 'unknown')
        await db.transaction((tx) => save(tx, { ...setup, setupId, token: state.token }, card, by));
    }
    return shown(setupId);
  }

  async function shown(setupId: string): Promise<CardSetup> {
    const row = await db.one<CardSetup>(sql`
      select id, status, payment_method_id, failure_code,
             ${timestampSql(sql`created_at`)} as created_at
        from card_setup where id = ${setupId}`);
    const set = Object.entries(row).filter(([, value]) => value !== null);
    return Object.fromEntries(set) as unknown as CardSetup;
  }
}

async function record(
  tx: Tx,
  processor: Processor['name'],
  { setupId, id }: { setupId: string; id: string },
  { caller, requestId }: CallerOf,
): Promise<CardSetup | undefined> {
  const { userId, keyId, sessionId } = caller;
  const recorded = await tx.maybeOne<CardSetup>(sql`
    insert into card_setup
      (id, user_id, key_id, session_id, request_id, processor, processor_id)
    select ${setupId}, ${userId}, ${keyId}, ${sessionId}, ${requestId}, ${processor}, ${id}
     where (select count(*) from payment_method
             where user_id = ${userId} and detached_at is null) < ${CARDS_PER_PERSON}
    returning id, status, ${timestampSql(sql`created_at`)} as created_at`);
  if (recorded === undefined) return undefined;
  const change = { action: 'payment_method.set_up', target: setupId, before: {}, after: {} };
  await recordChange(tx, { caller, requestId, ...change });
  return recorded;
}

async function save(
  tx: Tx,
  setup: Row & { setupId: string; token: string },
  state: Exclude<CardState, { kind: 'unknown' }>,
  by: SavedBy = {
    caller: { userId: setup.user_id, keyId: setup.key_id, sessionId: setup.session_id },
    requestId: setup.request_id,
  },
): Promise<void> {
  const { setupId, user_id, token } = setup;
  await lockPerson(tx, user_id);
  const open = await tx.maybeOne(sql`
    select id from card_setup where id = ${setupId} and status = 'open' for update`);
  if (open === undefined) return;
  if (state.kind === 'gone') return fail(tx, setupId, 'card_removed');
  if (!(await isCustomer(tx, user_id, state.customerId)))
    return fail(tx, setupId, 'card_of_another_person');
  const kept = await keepCard(tx, user_id, state.card, by);
  if (kept.kind === 'anothers') return fail(tx, setupId, 'card_of_another_person');
  if (kept.kind === 'tooMany') {
    await requestDetach(tx, token);
    return fail(tx, setupId, 'too_many_cards');
  }
  await tx.many(sql`
    update card_setup
       set status = 'succeeded', payment_method_id = ${kept.id}, next_check_at = null,
           updated_at = now()
     where id = ${setupId}`);
}

// The sandbox has no customers.
const isCustomer = async (
  tx: Tx,
  userId: string,
  customerId: string | undefined,
): Promise<boolean> =>
  customerId === undefined ||
  (await tx.maybeOne(sql`
    select id from billing_account where user_id = ${userId} and customer_id = ${customerId}`)) !==
    undefined;

async function fail(db: Pick<Tx, 'many'>, setupId: string, code: string): Promise<void> {
  await db.many(sql`
    update card_setup
       set status = 'failed', failure_code = ${code}, next_check_at = null, updated_at = now()
     where id = ${setupId} and status = 'open'`);
}
