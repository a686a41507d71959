import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database/database.ts';
import { apiError } from '../http/errors.ts';
import { DROPPED_AT_MOST } from '../http/read-body.ts';
import { bodyReceiver } from '../http/receive-body.ts';
import type { ProcessorEvent } from './cards/processor.ts';
import { storeEvent } from './top-ups/events.ts';

/** The event in these bytes, when the signature is the processor's and not older than five minutes. */
export type VerifyEvent = (
  rawBody: Buffer,
  signature: string | undefined,
) => ProcessorEvent | undefined;

const signatureInvalid = apiError(
  400,
  'signature_invalid',
  'The signature is invalid or older than five minutes: check the signing secret of the endpoint',
);

/** Stripe sends an event at once and sends it again when it was refused. */
const LIMITS = { atOnce: 16, maxBytes: 1024 * 1024, timeout: 5_000 };

/**
 * `POST /webhooks/stripe`: keeps the event and answers; what it means is worked off afterwards (`onEvent` wakes the
 * worker). The processor repeats what was not answered 2xx, so an event is lost only when it was never sent.
 * Only the signature says who the sender is, and it covers the body, so that bodies have limits of their own here.
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
