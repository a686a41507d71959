import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { lockedSelf } from '../../access/session.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { boolean, object } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import {
  type AuthorizationRequest,
  type Client,
  checkRequest,
  clientWith,
  readRequest,
} from './authorization-request.ts';
import { requestErrors, requestWord } from './look-at-request.ts';
import { CODE_SECONDS, hashCode, newCode } from './tokens.ts';

/** How many applications one person may have connected. */
const MOST_APPLICATIONS = 50;

const tooManyApplications = apiError(
  409,
  'too_many_applications',
  `You have connected ${MOST_APPLICATIONS} applications, which is the most: remove those that you no longer use, under Account, Connections`,
);

/**
 * Lets an application in: makes its key, which opens nothing yet, and the code that the application
 * exchanges for tokens. It takes the same proof as making an API key does.
 */
export const connectApplication = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'POST',
    path: '/auth/application-request',
    area: 'Sign-in',
    operationId: 'connect_application',
    summary: 'Connect an application',
    description:
      'Lets the application that has sent you here act as you through `/mcp`, or only read there. ' +
      'The answer says where to go on, with a code that works once, for a minute.',
    credential: 'proven-session',
    access: lockedSelf,
    body: object({
      request: requestWord(),
      read_only: boolean({ description: 'Whether it may only read.' }),
    }),
    sample: () => ({ body: { request: 'qY2xpZW50X2lkPQ', read_only: true } }),
    responses: {
      201: {
        description: 'Where to go on.',
        schema: Type.Object({ return_to: Type.String() }, { $id: 'ApplicationConnected' }),
        example: { return_to: 'http://localhost:53682/callback?code=glc_…' },
      },
    },
    errors: [...requestErrors, tooManyApplications],
    handle: ({ body, headers, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const asked = readRequest(body.request);
        const client = await tx.maybeOne<Client>(sql`${clientWith(asked.clientId)} for key share`);
        const request = checkRequest(asked, client, { publicUrl, host: headers.host });
        if ((await connected(tx, caller.userId)) >= MOST_APPLICATIONS) throw tooManyApplications();
        const code = newCode();
        await insert(tx, caller, {
          client: client as Client,
          request,
          code,
          readOnly: body.read_only || !request.write,
          requestId,
        });
        return { status: 201, body: { return_to: request.answering({ code }) } };
      }),
  });

const connected = async (tx: Tx, userId: string): Promise<number> =>
  (
    await tx.one<{ count: number }>(sql`
      select count(*)::int as count
        from api_key k join oauth_connection o on o.key_id = k.id
       where k.user_id = ${userId} and k.revoked_at is null
         and greatest(k.expires_at, o.expires_at) > now()`)
  ).count;

interface Wanted {
  client: Client;
  request: AuthorizationRequest;
  code: string;
  readOnly: boolean;
  requestId: string;
}

/** Nobody has the secret of the key: its hash is there so that it is none of another key. */
const insert = (tx: Tx, caller: Caller, { client, request, code, readOnly, requestId }: Wanted) =>
  tx.many(sql`
    with ${actor(caller)},
    made as (
      insert into api_key (user_id, name, secret_hash, expires_at, read_only, oauth_client_id)
      values (${caller.userId}, ${client.name}, ${randomBytes(32)},
              clock_timestamp() + make_interval(secs => ${CODE_SECONDS}), ${readOnly}, ${client.id})
      returning *),
    begun as (
      insert into oauth_connection (key_id, oauth_client_id, redirect_uri, code_hash, code_challenge)
      select id, oauth_client_id, ${request.redirectUri}, ${hashCode(code)}, ${request.challenge}
        from made),
    audited as (${auditRow({
      action: 'application.connect',
      requestId,
      target: sql`made.id`,
      organization: sql`null::uuid`,
      before: sql`null`,
      after: sql`
        jsonb_build_object('name', made.name, 'read_only', made.read_only,
                           'redirect_uri', ${request.redirectUri}::text)`,
      from: sql`made`,
    })})
    select from made`);
