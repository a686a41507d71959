import type { FastifyInstance, RouteShorthandOptions } from 'fastify';
import type { Database } from '../db/database/database.ts';
import { apiError } from '../http/errors.ts';
import { renderError } from '../http/render-error.ts';
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
  'This is no event that Stripe signed with the secret of this endpoint within the last five minutes',
);

const eventTooLarge = apiError(413, 'body_too_large', 'The event is over 1 MiB');

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
  const errorHandler: RouteShorthandOptions['errorHandler'] = (error, request, reply) =>
    renderError(
      error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? eventTooLarge() : error,
      request,
      reply,
    );
  app.post('/webhooks/stripe', { bodyLimit: 1024 * 1024, errorHandler }, async (request) => {
    const signature = request.headers['stripe-signature'];
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const event = verify(body, typeof signature === 'string' ? signature : undefined);
    if (event === undefined) throw signatureInvalid();
    await keepEvent(db, event);
    onEvent();
    return { received: true };
  });
}
