import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { parseUuid } from '../../http/input/uuid.ts';
import { DROPPED_AT_MOST } from '../../http/read-body.ts';
import { bodyReceiver } from '../../http/receive-body.ts';
import { CannotOpen, type Sealing } from '../../platform/sealing/sealing.ts';
import { hookContext } from './sealed-tokens.ts';

export const GITEA_WEBHOOK = '/webhooks/gitea/:repository_id';

const signatureInvalid = apiError(
  400,
  'signature_invalid',
  'The signature is invalid: detach the repository and attach it again, which makes a new webhook',
);

/** The commits of a large push are listed in it; few are large, so few arrive at once. */
const LIMITS = { atOnce: 16, maxBytes: 5 * 1024 * 1024, timeout: 10_000 };

/**
 * `POST /webhooks/gitea/{repository_id}`: what it says is not read. A signed one makes the pull
 * requests of the repository due to be refreshed, so one that is sent again, or out of order, does no
 * more than the first; what is lost is found by polling. The signature covers the body, so bodies have
 * limits of their own here.
 */
export function serveGiteaWebhook(app: FastifyInstance, db: Database, sealing: Sealing): void {
  const receive = bodyReceiver(LIMITS);
  app.post(GITEA_WEBHOOK, async (request, reply) => {
    const header = (name: string) => String(request.headers[name] ?? '');
    const signature = header('x-gitea-signature') || header('x-hub-signature-256');
    const id = parseUuid((request.params as { repository_id: string }).repository_id);
    const secret = id.ok && signature !== '' ? await secretOf(db, sealing, id.uuid) : undefined;
    if (secret === undefined || !id.ok) {
      if (Number(request.headers['content-length'] ?? 0) > DROPPED_AT_MOST)
        reply.header('connection', 'close');
      throw signatureInvalid();
    }
    const body = await receive(request.raw);
    if (!isSigned(body, signature, secret)) throw signatureInvalid();
    await db.many(makeDue(id.uuid));
    return reply.code(202).send({ received: true });
  });
}

/** Whether the server has signed these bytes. Takes the same time for any signature. */
function isSigned(body: Buffer, signature: string, secret: Buffer): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  const [given, wanted] = [Buffer.from(signature.replace(/^sha256=/, '')), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function secretOf(db: Database, sealing: Sealing, id: string): Promise<Buffer | undefined> {
  const [row] = await db.many<{ sealed: Buffer; keyId: string }>(sql`
    select secret as sealed, secret_key_id as "keyId"
      from gitea_webhook where repository_id = ${id}`);
  try {
    return row && sealing.open(row, hookContext(id));
  } catch (error) {
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}

// The refresh finds which of them it is about, and what the repository is called now.
const makeDue = (repositoryId: string) => sql`
  with pulls as (
    update pull_request set looked_at = null
     where repository_id = ${repositoryId} and state = 'open' and looked_at is not null)
  update repository set looked_at = now() - interval '10 minutes'
   where id = ${repositoryId} and looked_at > now() - interval '10 minutes'`;
