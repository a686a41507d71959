import Stripe from 'stripe';
import type { ProcessorEvent } from './processor.ts';

/** Seconds between the signing of an event and its arrival. */
const TOLERANCE = 300;

/** The event of a webhook, if the signature of its raw bytes is valid and at most 5 minutes old. */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  signatureHeader: string | undefined,
  secret: string,
): ProcessorEvent | undefined {
  if (signatureHeader === undefined || secret === '') return undefined;
  try {
    return eventOf(Stripe.webhooks.constructEvent(rawBody, signatureHeader, secret, TOLERANCE));
  } catch {
    return undefined;
  }
}

/** Every event since then, oldest first. Throws StripeError; `since` counts in whole seconds. */
export async function* eventsSince(stripe: Stripe, since: Date): AsyncIterable<ProcessorEvent> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const events: ProcessorEvent[] = [];
  // Stripe lists the newest first. All of them are collected before the first is passed on, so that
  // a caller who stops halfway and later continues from the newest one it stored leaves no gap.
  for await (const event of stripe.events.list({ created, limit: 100 }))
    events.push(eventOf(event));
  yield* events.reverse();
}

// Reduced to what leads to the current object, because the content of an event may be out of date.
// Refunds, charges and disputes name their intent but no customer.
function eventOf(event: Stripe.Event): ProcessorEvent {
  if (!isText(event.id) || !isText(event.type) || !(event.created > 0 && event.created < 1e11))
    throw new Error('no event');
  const object = event.data.object as unknown as Record<string, unknown>;
  const intentId = idOf(object.object === 'payment_intent' ? object.id : object.payment_intent);
  return {
    id: event.id,
    type: event.type,
    createdAt: new Date(event.created * 1000),
    intentId,
    ...(object.object === 'setup_intent' && { setupId: idOf(object.id) }),
    ...(object.object === 'payment_method' && { token: idOf(object.id) }),
  };
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value);

function idOf(value: unknown): string | undefined {
  if (isText(value)) return value as string;
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return isText(id) ? (id as string) : undefined;
}
