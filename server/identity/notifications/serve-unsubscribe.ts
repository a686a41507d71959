import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { bodyReceiver } from '../../http/receive-body.ts';
import { personOf, UNSUBSCRIBE } from './unsubscribe-link.ts';

/** The form of RFC 8058 has one field. */
const BODIES = { atOnce: 16, maxBytes: 4_096, timeout: 10_000 };

const POLICY = "default-src 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * The link of mails about tasks (RFC 8058). `GET` shows a page and changes nothing, because programs
 * open links, too. `POST` ends such mail, without a session: whoever has the mail has the link.
 */
export function serveUnsubscribe(
  app: FastifyInstance,
  db: Pick<Database, 'write'>,
  secrets: readonly (string | undefined)[],
): { method: string; path: string }[] {
  const path = `${UNSUBSCRIBE}/:token`;
  const receive = bodyReceiver(BODIES);
  const person = ({ params }: { params: unknown }) =>
    personOf((params as { token: string }).token, secrets);
  app.get(path, async (request, reply) =>
    person(request) === undefined ? page(reply, 404, UNKNOWN) : page(reply, 200, ASK),
  );
  app.post(path, async (request, reply) => {
    await receive(request.raw);
    const userId = person(request);
    if (userId === undefined) return page(reply, 404, UNKNOWN);
    await db.write(ended(userId));
    return page(reply, 200, DONE);
  });
  return ['GET', 'POST'].map((method) => ({ method, path: `${UNSUBSCRIBE}/{token}` }));
}

const page = (reply: FastifyReply, status: number, content: string) =>
  reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
    .send(
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
        '<meta name="viewport" content="width=device-width">' +
        `<title>Mail about tasks · Guildhall</title></head><body><main>${content}</main></body></html>\n`,
    );

const ASK =
  '<h1>Mail about tasks</h1><p>Do you want no more mail about tasks?</p>' +
  '<form method="post"><button>Send me no more mail about tasks</button></form>';
const DONE =
  '<h1>Mail about tasks</h1><p>You get no more mail about tasks. In the dashboard, under ' +
  '<a href="/account/notifications">Account, Notifications</a>, you can change that.</p>';
const UNKNOWN =
  '<h1>Mail about tasks</h1><p>This link is not valid. In the dashboard, under ' +
  '<a href="/account/notifications">Account, Notifications</a>, you say what you are told of.</p>';

const ended = (userId: string) => sql`
  insert into notification_setting as s (user_id, mail)
  select id, 'off' from app_user where id = ${userId}
  on conflict (user_id) do update
     set mail = 'off', updated_at = greatest(clock_timestamp(), s.updated_at + interval '1 microsecond')`;
