import Stripe from 'stripe';
import { withoutSecrets } from '../../telemetry/log.ts';
import type { Outcome } from './processor.ts';
import type { Called } from './stripe-client.ts';

type Failed = Extract<Called<never>, { ok: false }>;

const { errors } = Stripe;

/** What an intent's own state says. */
export function outcomeOf(intent: Stripe.PaymentIntent): Outcome {
  const intentId = intent.id;
  switch (intent.status) {
    case 'succeeded':
      return { kind: 'succeeded', intentId };
    case 'canceled':
      return { kind: 'canceled', intentId };
    case 'requires_confirmation':
      return { kind: 'open', intentId };
    case 'requires_payment_method':
      return { kind: 'refused', intentId, refusal: refusalOf(intent.last_payment_error) };
    case 'requires_action':
      return { kind: 'refused', intentId, refusal: { code: 'authentication_required' } };
    default:
      return { kind: 'unknown', reason: `the intent is ${intent.status}` };
  }
}

/** A failed create or confirm. Only the listed refusals are definite: everything else may have worked (money.md). */
export function outcomeOfFailure({ error, nothingRan }: Failed): Outcome {
  if (isDecline(error)) {
    const intentId = error.payment_intent?.id;
    return { kind: 'refused', ...(intentId ? { intentId } : {}), refusal: refusalOf(error) };
  }
  if (isCardGone(error)) return { kind: 'cardGone' };
  const reason = reasonOf(error);
  return nothingRan && isTurnedAway(error)
    ? { kind: 'notExecuted', reason }
    : { kind: 'unknown', reason };
}

/** Stripe understood the request and says no: it is over, and the object tells the truth. */
export function isRejected(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof errors.StripeInvalidRequestError && error.statusCode !== undefined;
}

/** Nothing was sent, or it was turned away at the door. */
function isTurnedAway(error: unknown): boolean {
  if (error instanceof errors.StripeRateLimitError) {
    // `lock_timeout`: another request, perhaps ours, is at work on the object right now.
    return error.code !== 'lock_timeout';
  }
  return (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    // Which connection errors those are was seen attempt by attempt (stripe-client.ts).
    error instanceof errors.StripeConnectionError
  );
}

/** For people and logs: kinds and codes only, never a message, which could quote a key or a card. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof errors.StripeError))
    return scrub(error instanceof Error ? error.name : 'no error');
  const cause = error.detail as { code?: unknown } | undefined;
  const parts = [
    error.type,
    error.code,
    error.statusCode,
    error.param,
    cause?.code,
    error.requestId,
  ];
  return scrub(
    parts.filter((part) => typeof part === 'string' || typeof part === 'number').join(' '),
  );
}

/** Removes whatever looks like a key or a card number. */
export function scrub(text: string): string {
  return withoutSecrets(text).replace(/\b\d(?:[ -]?\d){11,18}\b/g, '***');
}

// The SDK calls every 402 a card error; Stripe's own type is what says that the card was refused.
function isDecline(error: unknown): error is Stripe.errors.StripeCardError {
  if (!(error instanceof errors.StripeCardError) || error.rawType !== 'card_error' || !error.code)
    return false;
  const status = error.payment_intent?.status;
  return status !== 'succeeded' && status !== 'processing' && status !== 'requires_capture';
}

/** The customer that a request names does not exist: nothing was executed. */
export const isCustomerGone = (error: unknown): boolean => isMissing(error, 'customer');

const isCardGone = (error: unknown): boolean => isMissing(error, 'payment_method');

function isMissing(error: unknown, param: string): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    error.param === param
  );
}

function refusalOf(error: { code?: string | undefined; decline_code?: string | undefined } | null) {
  const declineCode = error?.decline_code;
  return { code: error?.code ?? 'card_declined', ...(declineCode ? { declineCode } : {}) };
}
