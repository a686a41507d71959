import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database/database.ts';
import { apiError } from '../http/errors.ts';
import { DROPPED_AT_MOST } from '../http/read-body.ts';
import { bodyReceiver } from '../http/receive-body.ts';
import type { ProcessorEvent } from './cards/processor.ts';
import { storeEvent } from './top-ups/events.ts';

/** The event in these bytes, if the processor's signature is valid and at most five minutes old. */
export type VerifyEvent = (
  rawBody: Buffer,
  signature: string | undefined,
) => ProcessorEvent | undefined;

const signatureInvalid = apiError(
  400,
  'signature_invalid',
  'The signature is invalid or older than five minutes: check the signing secret of the endpoint',
);

/** Stripe sends an event immediately, and again if it was refused. */
const LIMITS = { atOnce: 16, maxBytes: 1024 * 1024, timeout: 5_000 };

/**
 * `POST /webhooks/stripe` stores the event and answers; it is processed afterwards (`onEvent` wakes
 * the worker). Stripe repeats an event that was not answered with a 2xx, so none is lost once it
 * was sent. Only the signature identifies the sender, and it covers the body, so bodies have limits
 * of their own here.
 */
export function serveWebhook(
  app: FastifyInstance,
  db: Database,
  verify: VerifyEvent,
  onEvent: () => void,
): void {
  const receive = bodyReceiver(LIMITS);
  app.post('/webhooks/stripe', async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || signature === '') {
      if (Number(request.headers['content-length'] ?? 0) > DROPPED_AT_MOST)
        reply.header('connection', 'close');
      throw signatureInvalid();
    }
    const event = verify(await receive(request.raw), signature);
    if (event === undefined) throw signatureInvalid();
    await storeEvent(db, event);
    onEvent();
    return { received: true };
  });
}
