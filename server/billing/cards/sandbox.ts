import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import {
  AUTHENTICATION_FAILED,
  type CardDecline,
  type Movements,
  type Outcome,
  type Processor,
} from './processor.ts';
import { sandboxCards } from './sandbox-cards.ts';
import { DECLINING_CARDS, testCard } from './test-cards.ts';

/** An intent as its table stores it. */
interface Intent {
  id: string;
  token: string;
  status: 'requires_confirmation' | 'succeeded' | 'requires_payment_method' | 'canceled';
  failure_code: string | null;
  decline_code: string | null;
  /** `confirms`: what the cardholder has said, if they were asked. */
  metadata: { confirms?: boolean };
}

/**
 * A card processor that needs no account: intents are stored in the database and follow Stripe's
 * state machine, so a restart forgets nothing. `delay` (milliseconds before each answer) lets a
 * test hold a charge open.
 */
export function sandbox(db: Database, { delay = 0 } = {}): Processor {
  const wait = () =>
    delay === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delay));

  const outcome = (intent: Intent | undefined): Outcome => {
    if (intent === undefined) return { kind: 'unknown', reason: 'no such intent' };
    const { id: intentId, failure_code, decline_code } = intent;
    if (intent.status === 'succeeded') return { kind: 'succeeded', intentId };
    if (intent.status === 'canceled') return { kind: 'canceled', intentId };
    if (intent.status === 'requires_confirmation') return { kind: 'open', intentId };
    const decline = {
      code: failure_code ?? 'card_declined',
      ...(decline_code ? { declineCode: decline_code } : {}),
    };
    return { kind: 'declined', intentId, decline };
  };

  const confirm = async (intentId: string, decline: CardDecline | undefined): Promise<Outcome> => {
    await wait();
    const intent = await db.maybeOne<Intent>(sql`
      update sandbox_intent
         set status = ${decline ? 'requires_payment_method' : 'succeeded'},
             failure_code = ${decline?.code ?? null},
             decline_code = ${decline?.declineCode ?? null}
       where id = ${intentId} and status = 'requires_confirmation' returning *`);
    return outcome(intent ?? (await find(intentId)));
  };

  return {
    name: 'sandbox',
    cards: sandboxCards(db),
    create: async ({ topUpId, amount, token }) => {
      await wait();
      if (testCard(token) === undefined) return { kind: 'cardGone' };
      const id = `pi_sandbox_${randomBytes(12).toString('hex')}`;
      const intent = await db.one<Intent>(sql`
        insert into sandbox_intent (id, idempotency_key, token, amount, status)
        values (${id}, ${`topup:${topUpId}:create`}, ${token}, ${amount}, 'requires_confirmation')
        on conflict (idempotency_key) do update set idempotency_key = excluded.idempotency_key
        returning *`);
      return outcome(intent);
    },
    confirm: (intentId, { token }) => confirm(intentId, DECLINING_CARDS.get(token)),
    attend: async (intentId, { token }) => {
      const decline = DECLINING_CARDS.get(token);
      if (decline?.code !== 'authentication_required') return confirm(intentId, decline);
      const intent = await find(intentId);
      if (intent?.status !== 'requires_confirmation') return outcome(intent);
      const { confirms } = intent.metadata;
      if (confirms === undefined) return { kind: 'requiresAction', intentId };
      return confirm(intentId, confirms ? undefined : { code: AUTHENTICATION_FAILED });
    },
    authenticate: async (intentId, confirms) => {
      await db.many(sql`
        update sandbox_intent set metadata = jsonb_build_object('confirms', ${confirms}::boolean)
         where id = ${intentId} and status = 'requires_confirmation'`);
    },
    retrieve: async (intentId) => {
      await wait();
      return outcome(await find(intentId));
    },
    cancel: async (intentId) => {
      await wait();
      await db.many(sql`
        update sandbox_intent set status = 'canceled'
         where id = ${intentId}
           and status in ('requires_confirmation', 'requires_payment_method')`);
      return outcome(await find(intentId));
    },
    movements: async (intentId) => {
      await wait();
      return db.maybeOne<Movements>(sql`
        select case when i.status = 'succeeded' then i.amount else 0 end as captured,
               coalesce(r.refunded, 0)::bigint as refunded,
               coalesce(r.ids, '{}') as "refundIds",
               '[]'::json as disputes
          from sandbox_intent i
          left join (
            select intent_id, sum(amount) as refunded,
                   array_agg(substr(idempotency_key, length('refund:') + 1)) as ids
              from sandbox_refund group by intent_id) r on r.intent_id = i.id
         where i.id = ${intentId}`);
    },
    refund: async (intentId, amount, refundId) => {
      await wait();
      const key = `refund:${refundId}`;
      return db.transaction(async (tx) => {
        // Locked first, so that what is read next is complete, including what another process has
        // just refunded.
        const intent = await tx.maybeOne<{ amount: bigint }>(sql`
          select amount from sandbox_intent
            where id = ${intentId} and status = 'succeeded' for update`);
        const { known, refunded } = await tx.one<{ known: boolean; refunded: bigint }>(sql`
          select coalesce(bool_or(idempotency_key = ${key}), false) as known,
                 coalesce(sum(amount), 0)::bigint as refunded
            from sandbox_refund where intent_id = ${intentId}`);
        if (known) return { kind: 'refunded' };
        if (intent === undefined || refunded + amount > intent.amount)
          return { kind: 'refused', reason: 'it is more than what is left of this charge' };
        await tx.many(sql`
          insert into sandbox_refund (idempotency_key, intent_id, amount)
            values (${key}, ${intentId}, ${amount})`);
        return { kind: 'refunded' };
      });
    },
    // Nothing happens here that its answers did not already report.
    events: async function* () {},
  };

  function find(intentId: string): Promise<Intent | undefined> {
    return db.maybeOne<Intent>(sql`select * from sandbox_intent where id = ${intentId}`);
  }
}
