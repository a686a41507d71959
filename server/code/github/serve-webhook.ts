import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { apiError } from '../../http/errors.ts';
import { parseUuid } from '../../http/input/uuid.ts';
import { DROPPED_AT_MOST } from '../../http/read-body.ts';
import { bodyReceiver } from '../../http/receive-body.ts';
import { isSigned, readDelivery, storeDelivery } from './deliveries.ts';
import type { GitHubObserver } from './metrics.ts';

export const GITHUB_WEBHOOK = '/webhooks/github';

/** The secret of the App, and what wakes the worker. */
export interface Webhook {
  secret: string;
  onDelivery: () => void;
  observer?: Pick<GitHubObserver, 'onDelivery'> | undefined;
}

const signatureInvalid = apiError(
  400,
  'signature_invalid',
  'The signature is invalid: check that GITHUB_WEBHOOK_SECRET is the secret of the GitHub App',
);
const deliveryUnreadable = apiError(
  400,
  'delivery_unreadable',
  'This is no delivery of GitHub in JSON: set the content type of the webhook to application/json',
);

/**
 * GitHub sends at most 25 MiB, and what is that large is found by polling. Few are large, so few
 * arrive at once.
 */
const LIMITS = { atOnce: 16, maxBytes: 5 * 1024 * 1024, timeout: 10_000 };

/**
 * `POST /webhooks/github` stores what a delivery is about and answers; a worker reads the object from GitHub
 * afterwards. GitHub does not repeat a delivery by itself, so what is lost is found by polling.
 * Only the signature identifies the sender, and it covers the body, so bodies have limits of their
 * own here.
 */
export function serveGithubWebhook(
  app: FastifyInstance,
  db: Database,
  { secret, onDelivery, observer }: Webhook,
): void {
  const receive = bodyReceiver(LIMITS);
  const onError = async () => observer?.onDelivery('refused');
  app.post(GITHUB_WEBHOOK, { onError }, async (request, reply) => {
    const header = (name: string) => String(request.headers[name] ?? '');
    const signature = header('x-hub-signature-256');
    if (signature === '') {
      if (Number(request.headers['content-length'] ?? 0) > DROPPED_AT_MOST)
        reply.header('connection', 'close');
      throw signatureInvalid();
    }
    const body = await receive(request.raw);
    if (!isSigned(body, signature, secret)) throw signatureInvalid();
    const id = parseUuid(header('x-github-delivery'));
    const event = header('x-github-event');
    const named = id.ok && /^[a-z][a-z0-9_]{0,99}$/.test(event);
    const delivery = named ? readDelivery(id.uuid, event, body) : undefined;
    if (delivery === undefined) throw deliveryUnreadable();
    const isNew = await storeDelivery(db, delivery);
    observer?.onDelivery(isNew ? 'received' : 'repeated');
    if (isNew) onDelivery();
    return reply.code(202).send({ received: true });
  });
}
