import Type from 'typebox';
import { ownSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import {
  applicationUnknown,
  authorizationUnusable,
  type Client,
  checkRequest,
  clientWith,
  httpsNeeded,
  REQUEST,
  readRequest,
  redirectUnknown,
} from './authorization-request.ts';
import { placeOf } from './redirect-uri.ts';

export const requestWord = () =>
  Type.String({ pattern: REQUEST, description: 'The request, as the address of the page has it.' });

export const requestErrors = [
  httpsNeeded,
  applicationUnknown,
  redirectUnknown,
  authorizationUnusable,
];

/** What an application asks of the caller, before they decide. It changes nothing. */
export const lookAtRequest = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'GET',
    path: '/auth/application-request',
    area: 'Sign-in',
    operationId: 'look_at_application_request',
    summary: 'See what an application asks for',
    description:
      'The application that has sent you here, where it is answered, and what it asks for.',
    credential: 'session',
    access: ownSession,
    query: Type.Object({ request: requestWord() }),
    sample: () => ({ query: { request: 'qY2xpZW50X2lkPQ' } }),
    responses: {
      200: {
        description: 'The request.',
        schema: Type.Object(
          {
            name: Type.String({ description: 'What it calls itself. Nobody has checked it.' }),
            registered_at: timestamp(),
            place: Type.String({ description: 'Where the answer is sent: a host, or a program.' }),
            write: Type.Boolean({ description: 'Whether it asks for more than to read.' }),
            refused_to: Type.String({ description: 'Where it is told that you refuse.' }),
          },
          { $id: 'ApplicationRequest' },
        ),
        example: {
          name: 'Claude Code',
          registered_at: '2026-11-28T08:15:30.123Z',
          place: 'localhost:53682 (a program on your computer)',
          write: true,
          refused_to: 'http://localhost:53682/callback?error=access_denied',
        },
      },
    },
    errors: requestErrors,
    handle: ({ query, headers, statement }) => {
      const asked = readRequest(query.request);
      return statement<{ client: (Omit<Client, 'created_at'> & { created_at: string }) | null }>(
        {
          select: sql`
            select (select to_jsonb(c) from (${clientWith(asked.clientId)}) c) as client
              from authorized`,
        },
        ({ client }) => {
          const known = client && { ...client, created_at: new Date(client.created_at) };
          const { redirectUri, write, answering } = checkRequest(asked, known ?? undefined, {
            publicUrl,
            host: headers.host,
          });
          return {
            status: 200,
            body: {
              name: known?.name,
              registered_at: known?.created_at.toISOString(),
              place: placeOf(redirectUri),
              write,
              refused_to: answering({ error: 'access_denied' }),
            },
          };
        },
      );
    },
  });
