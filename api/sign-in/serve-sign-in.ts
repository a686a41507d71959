import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database/database.ts';
import { crossSiteRequest } from '../http/errors.ts';
import { bodyReceiver } from '../http/receive-body.ts';
import { isSameOrigin, setSessionCookie } from '../http/session-cookie.ts';
import { beginByLink } from './begin-by-link.ts';
import { confirmation, HTML, PAGE_HEADERS, unusable } from './page.ts';
import type { SignInRequest } from './session.ts';
import { openLink } from './sign-in-link.ts';

/** A form with one token. The sender has not proven who they are yet. */
const LIMITS = { atOnce: 16, maxBytes: 4 * 1024, timeout: 5_000 };

const PATH = '/auth/link';
const TOKEN = /^[\w-]{43}$/;

/** The paths of sign-in, which are for browsers and not in the API description. */
export const SIGN_IN_ROUTES = [
  { method: 'GET', path: PATH },
  { method: 'POST', path: PATH },
];

/** What signing in needs. */
export interface SignInDeps {
  db: Database;
  /** Counts a failed authentication; throws 429 if there were too many, and adds the headers. */
  countFailure(ip: string, headers: Record<string, string>): Promise<void>;
  publicUrl: string;
  /** What a client is counted by. */
  networkOf(ip: string): string;
}

/**
 * `GET /auth/link?token=` shows a page with a button and looks nothing up: mail scanners follow
 * links. `POST /auth/link`, which the button sends, uses the link and sets the cookie of a session.
 * A form of another site is refused, or it could sign a visitor in as another person. Every link
 * that does not work gets the same answer and counts as a failed authentication.
 */
export async function serveSignIn(
  app: FastifyInstance,
  { db, countFailure, publicUrl, networkOf }: SignInDeps,
): Promise<void> {
  const receive = bodyReceiver(LIMITS);

  await app.register(async (scope) => {
    // After the headers of every answer, which forbid forms.
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.getHeader('content-type') === HTML) reply.headers(PAGE_HEADERS);
    });
    scope.get(PATH, (request, reply) => {
      const { token } = request.query as Record<string, unknown>;
      const fit = typeof token === 'string' && TOKEN.test(token);
      return reply
        .status(fit ? 200 : 400)
        .type(HTML)
        .send(fit ? confirmation(token) : unusable());
    });

    scope.post(PATH, async (request, reply) => {
      if (!isSameOrigin(request.headers, publicUrl))
        throw crossSiteRequest({}, { connection: 'close' });
      const form = new URLSearchParams((await receive(request.raw)).toString());
      const token = form.get('token') ?? '';
      // A connection that may wait for locks is only for links that work.
      const link = await openLink(db, token);
      const { headers: sent, id: requestId } = request;
      const by = { headers: sent as SignInRequest['headers'], network: networkOf(request.ip) };
      const session =
        link?.purpose === 'sign_in'
          ? await db.transaction((tx) => beginByLink(tx, link, { request: { ...by, requestId } }))
          : undefined;
      if (session !== undefined) {
        reply.header('set-cookie', setSessionCookie(publicUrl, session.token));
        return reply.redirect('/', 303);
      }
      const headers = {};
      await countFailure(request.ip, headers);
      return reply.status(400).headers(headers).type(HTML).send(unusable());
    });
  });
}
