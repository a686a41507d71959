import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { parseUuid } from '../../http/input/uuid.ts';
import { oauthAddress, resourceAt } from './oauth-address.ts';
import { isRegistered, withParameters } from './redirect-uri.ts';

export const applicationUnknown = apiError(
  404,
  'application_unknown',
  'The application that sent you here is not registered at this server, or no longer. Nothing was ' +
    'allowed. Remove the connection in the application, and connect it again',
);
export const redirectUnknown = apiError(
  400,
  'redirect_unknown',
  'The application wants to send you to an address that it has not registered, so this may be an ' +
    'attempt to deceive you. Nothing was allowed. Connect again from the application itself',
);
export const authorizationUnusable = apiError(
  400,
  'authorization_unusable',
  'The application has sent a request that this server cannot use. Nothing was allowed. It must ask ' +
    'for a code, with PKCE (S256), for /mcp of this server, and send each parameter once',
);
export const httpsNeeded = apiError(
  409,
  'https_needed',
  'This server has no HTTPS at this address, so no application can be connected here: its tokens ' +
    'would pass the network in the clear. Ask the operator for HTTPS, or give the application an API key',
);

/** What an application asks for, once it has proven usable. */
export interface AuthorizationRequest {
  redirectUri: string;
  challenge: Buffer;
  /** Whether it asks for more than to read. */
  write: boolean;
  /** Where the person is sent with the answer. */
  answering(parameters: Record<string, string>): string;
}

/** The request as it is handed from `/oauth/authorize` to the page: its query, as a word. */
export const REQUEST = '^q[A-Za-z0-9_-]{1,8000}$';
export const asWord = (query: string): string => `q${Buffer.from(query).toString('base64url')}`;

/** What the word says, before anything of it is believed. */
interface Asked {
  /** As the database takes it; null for what is no id. */
  clientId: string | null;
  query: URLSearchParams;
}

export function readRequest(word: string): Asked {
  const query = new URLSearchParams(Buffer.from(word.slice(1), 'base64url').toString());
  const id = parseUuid(once(query, 'client_id') ?? '');
  return { clientId: id.ok ? id.uuid : null, query };
}

const once = (query: URLSearchParams, name: string): string | undefined => {
  const all = query.getAll(name);
  return all.length === 1 ? all[0] : undefined;
};

/**
 * The request, if it is one that this server answers. The application and its address are checked
 * first: nobody is sent anywhere before both are known. Errors: those above.
 */
export function checkRequest(
  { query }: Asked,
  client: Client | undefined,
  { publicUrl, host }: { publicUrl: string; host: string | undefined },
): AuthorizationRequest {
  const address = oauthAddress(publicUrl, host);
  if (address === undefined) throw httpsNeeded();
  if (client === undefined) throw applicationUnknown();
  const redirectUri = once(query, 'redirect_uri');
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirect_uris))
    throw redirectUnknown();
  const challenge = once(query, 'code_challenge') ?? '';
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const usable =
    once(query, 'response_type') === 'code' &&
    once(query, 'code_challenge_method') === 'S256' &&
    /^[\w-]{43}$/.test(challenge) &&
    query.getAll('resource').every((resource) => resource === resourceAt(address)) &&
    ['state', 'scope'].every((name) => query.getAll(name).length <= 1);
  if (!usable) throw authorizationUnusable();
  return {
    redirectUri,
    challenge: Buffer.from(challenge, 'base64url'),
    write: scopes.length === 0 || scopes.includes('write'),
    answering: (parameters) =>
      withParameters(redirectUri, { ...parameters, state: once(query, 'state'), iss: address }),
  };
}

/** A registered application. */
export interface Client {
  id: string;
  name: string;
  redirect_uris: string[];
  created_at: Date;
}

/** SQL: the application with this id. */
export const clientWith = (id: string | null): Sql => sql`
  select id, name, redirect_uris, created_at from oauth_client where id = ${id}::uuid`;
