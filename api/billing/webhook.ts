import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database/database.ts';
import { apiError } from '../http/errors.ts';
import { readBody } from '../http/read-body.ts';
import type { ProcessorEvent } from './cards/processor.ts';
import { keepEvent } from './top-ups/events.ts';

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

const MAX_BYTES = 1024 * 1024;

/**
 * `POST /webhooks/stripe`: keeps the event and answers; what it means is worked off afterwards (`onEvent` wakes the
 * worker). The processor repeats what was not answered 2xx, so an event is lost only when it was never sent.
 */
export function serveWebhook(
  app: FastifyInstance,
  db: Database,
  verify: VerifyEvent,
  onEvent: () => void,
): void {
  app.post('/webhooks/stripe', async (request) => {
    const signature = request.headers['stripe-signature'];
    const body = await readBody(request.raw, MAX_BYTES);
    const event = verify(body, typeof signature === 'string' ? signature : undefined);
    if (event === undefined) throw signatureInvalid();
    await keepEvent(db, event);
    onEvent();
    return { received: true };
  });
}
