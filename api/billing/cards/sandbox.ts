import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { CardRefusal, Outcome, Processor } from './processor.ts';

const declined = (declineCode: string): CardRefusal => ({ code: 'card_declined', declineCode });

/** Stripe's published test payment methods that refuse, and how. */
const REFUSING: Record<string, CardRefusal> = {
  pm_card_chargeDeclined: declined('generic_decline'),
  pm_card_visa_chargeDeclined: declined('generic_decline'),
  pm_card_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_visa_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_chargeDeclinedLostCard: declined('lost_card'),
  pm_card_visa_chargeDeclinedLostCard: declined('lost_card'),
  pm_card_chargeDeclinedStolenCard: declined('stolen_card'),
  pm_card_visa_chargeDeclinedStolenCard: declined('stolen_card'),
  pm_card_chargeDeclinedFraudulent: declined('fraudulent'),
  pm_card_radarBlock: declined('fraudulent'),
  pm_card_chargeDeclinedVelocityLimitExceeded: declined('card_velocity_exceeded'),
  pm_card_visa_chargeDeclinedVelocityLimitExceeded: declined('card_velocity_exceeded'),
  pm_card_chargeCustomerFail: declined('generic_decline'),
  pm_card_chargeDeclinedExpiredCard: { code: 'expired_card' },
  pm_card_chargeDeclinedIncorrectCvc: { code: 'incorrect_cvc' },
  pm_card_chargeDeclinedProcessingError: { code: 'processing_error' },
  pm_card_authenticationRequired: { code: 'authentication_required', declineCode: 'authentication_required' },
  pm_card_authenticationRequiredOnSetup: {
    code: 'authentication_required',
    declineCode: 'authentication_required',
  },
};

const PAYING =
  /^pm_card_(visa|mastercard|amex|discover|diners|jcb|unionpay|cartesBancaires|us|createDispute\w*|bypassPending)(_debit|_prepaid|_credit)?$/;

/** An intent as the table keeps it. */
interface Intent {
  id: string;
  token: string;
  status: 'requires_confirmation' | 'succeeded' | 'requires_payment_method' | 'canceled';
  failure_code: string | null;
  decline_code: string | null;
}

/**
 * A card processor without an account anywhere: intents live in the database and follow Stripe's state machine, so a
 * restart forgets nothing. `delay` (milliseconds before each answer) lets a test hold a charge open.
 */
export function sandbox(db: Database, { delay = 0 } = {}): Processor {
  const wait = () => (delay === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delay)));

  const outcome = (intent: Intent | undefined): Outcome => {
    if (intent === undefined) return { kind: 'unknown', reason: 'no such intent' };
    const { id: intentId, failure_code, decline_code } = intent;
    if (intent.status === 'succeeded') return { kind: 'succeeded', intentId };
    if (intent.status === 'canceled') return { kind: 'canceled', intentId };
    if (intent.status === 'requires_confirmation') return { kind: 'open', intentId };
    const refusal = {
      code: failure_code ?? 'card_declined',
      ...(decline_code ? { declineCode: decline_code } : {}),
    };
    return { kind: 'refused', intentId, refusal };
  };

  return {
    name: 'sandbox',
    create: async ({ topUpId, amount, token }) => {
      await wait();
      if (REFUSING[token] === undefined && !PAYING.test(token)) return { kind: 'cardGone' };
      const id = `pi_sandbox_${randomBytes(12).toString('hex')}`;
      const intent = await db.one<Intent>(sql`
        insert into sandbox_intent (id, idempotency_key, token, amount, status)
        values (${id}, ${`topup:${topUpId}:create`}, ${token}, ${amount}, 'requires_confirmation')
        on conflict (idempotency_key) do update set idempotency_key = excluded.idempotency_key
        returning *`);
      return outcome(intent);
    },
    confirm: async (intentId, { token }) => {
      await wait();
      const refusal = REFUSING[token];
      const intent = await db.maybeOne<Intent>(sql`
        update sandbox_intent
           set status = ${refusal ? 'requires_payment_method' : 'succeeded'},
               failure_code = ${refusal?.code ?? null}, decline_code = ${refusal?.declineCode ?? null}
         where id = ${intentId} and status = 'requires_confirmation' returning *`);
      return outcome(intent ?? (await find(intentId)));
    },
    retrieve: async (intentId) => {
      await wait();
      return outcome(await find(intentId));
    },
    cancel: async (intentId) => {
      await wait();
      await db.many(sql`
        update sandbox_intent set status = 'canceled'
         where id = ${intentId} and status in ('requires_confirmation', 'requires_payment_method')`);
      return outcome(await find(intentId));
    },
  };

  function find(intentId: string): Promise<Intent | undefined> {
    return db.maybeOne<Intent>(sql`select * from sandbox_intent where id = ${intentId}`);
  }
}
