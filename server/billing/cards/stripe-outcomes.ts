import Stripe from 'stripe';
import { withoutSecrets } from '../../telemetry/hide-secrets.ts';
import type { AttendedOutcome, Outcome } from './processor.ts';
import type { Called } from './stripe-client.ts';

type Failed = Extract<Called<never>, { ok: false }>;

const { errors } = Stripe;

/** The outcome by an intent's own state. */
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
      return { kind: 'declined', intentId, decline: declineOf(intent.last_payment_error) };
    case 'requires_action':
      return { kind: 'declined', intentId, decline: { code: 'authentication_required' } };
    default:
      return { kind: 'unknown', reason: `the intent is ${intent.status}` };
  }
}

/** The same while the cardholder is there to confirm it. */
export function attendedOutcomeOf(intent: Stripe.PaymentIntent): AttendedOutcome {
  if (intent.status !== 'requires_action') return outcomeOf(intent);
  const secret = intent.client_secret;
  return {
    kind: 'requiresAction',
    intentId: intent.id,
    ...(secret !== null && { clientSecret: secret }),
  };
}

/**
 * The outcome of a failed create or confirm. Only the listed refusals are definite: anything else
 * may have worked.
 */
export function outcomeOfFailure({ error, nothingRan }: Failed): Outcome {
  if (isDecline(error)) {
    const intentId = error.payment_intent?.id;
    return { kind: 'declined', ...(intentId ? { intentId } : {}), decline: declineOf(error) };
  }
  if (isCardGone(error)) return { kind: 'cardGone' };
  const reason = reasonOf(error);
  return nothingRan && isTurnedAway(error)
    ? { kind: 'notExecuted', reason }
    : { kind: 'unknown', reason };
}

/**
 * Stripe understood the request and refused it: it is over, and the object shows the current state.
 */
export function isRejected(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof errors.StripeInvalidRequestError && error.statusCode !== undefined;
}

/** Nothing was sent, or it was rejected without being processed. */
function isTurnedAway(error: unknown): boolean {
  if (error instanceof errors.StripeRateLimitError) {
    // `lock_timeout`: another request, perhaps ours, is using the object right now.
    return error.code !== 'lock_timeout';
  }
  return (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    // stripe-client.ts observed each attempt to find out which connection errors these are.
    error instanceof errors.StripeConnectionError
  );
}

/**
 * A reason for people and logs: types and codes only, never a message, which could quote a key or a
 * card.
 */
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

/** Removes anything that looks like a key or a card number. */
export function scrub(text: string): string {
  return withoutSecrets(text).replace(/\b\d(?:[ -]?\d){11,18}\b/g, '***');
}

// The SDK calls every 402 a card error; only Stripe's own type says that the card was refused.
function isDecline(error: unknown): error is Stripe.errors.StripeCardError {
  if (!(error instanceof errors.StripeCardError) || error.rawType !== 'card_error' || !error.code)
    return false;
  const status = error.payment_intent?.status;
  return status !== 'succeeded' && status !== 'processing' && status !== 'requires_capture';
}

const isCardGone = (error: unknown): boolean => isMissing(error, 'payment_method');

/**
 * What the request names does not exist, so nothing was executed. `param`: where it was named; by
 * default anywhere.
 */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    (param === undefined || error.param === param)
  );
}

function declineOf(error: { code?: string | undefined; decline_code?: string | undefined } | null) {
  const declineCode = error?.decline_code;
  return { code: error?.code ?? 'card_declined', ...(declineCode ? { declineCode } : {}) };
}
