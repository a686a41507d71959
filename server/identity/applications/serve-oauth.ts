import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import type { RateLimits } from '../../http/rate-limit.ts';
import { bodyReceiver } from '../../http/receive-body.ts';
import { asWord, httpsNeeded } from './authorization-request.ts';
import { type Granted, redeemCode, refresh, revokeToken } from './grant-tokens.ts';
import { oauthAddress, resourceAt, SCOPES } from './oauth-address.ts';
import { registerClient } from './register-client.ts';
import type { NextTokens } from './tokens.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const AUTHORIZE = '/oauth/authorize';
const TOKEN = '/oauth/token';
const REGISTER = '/oauth/register';
const REVOKE = '/oauth/revoke';

/** What is served to applications that connect by OAuth. */
export const OAUTH_ROUTES: { method: string; path: string }[] = [
  { method: 'GET', path: METADATA },
  { method: 'GET', path: AUTHORIZE },
  { method: 'POST', path: TOKEN },
  { method: 'POST', path: REGISTER },
  { method: 'POST', path: REVOKE },
];

const BODIES = { atOnce: 32, maxBytes: 16 * 1024, timeout: 5_000 };
const LONGEST_QUERY = 6_000;

interface Deps {
  db: Database;
  publicUrl: string;
  limits: RateLimits;
  /** What a client is counted by. */
  networkOf(address: string): string;
  next: NextTokens;
}

/**
 * OAuth 2.1 for applications that connect to `/mcp` (docs/mcp.md, decision 96): metadata (RFC 8414),
 * registration (RFC 7591), codes with PKCE, rotating refresh tokens, revocation (RFC 7009). People
 * decide on a page of the dashboard, which `/oauth/authorize` leads to. All applications are public
 * ones: they have no secret, and nothing of a browser is read here but that address.
 */
export function serveOauth(
  app: FastifyInstance,
  { db, publicUrl, limits, networkOf, next }: Deps,
): void {
  const receive = bodyReceiver(BODIES);
  const addressOf = ({ headers }: FastifyRequest) => oauthAddress(publicUrl, headers.host);

  app.get(METADATA, { exposeHeadRoute: false }, (request) => {
    const address = addressOf(request);
    if (address === undefined) throw httpsNeeded();
    return {
      issuer: address,
      authorization_endpoint: `${address}${AUTHORIZE}`,
      token_endpoint: `${address}${TOKEN}`,
      registration_endpoint: `${address}${REGISTER}`,
      revocation_endpoint: `${address}${REVOKE}`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: SCOPES,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${address}/docs`,
    };
  });

  // The page gets the query as one word, so that nothing on the way reads and writes it anew.
  app.get(AUTHORIZE, { exposeHeadRoute: false }, (request, reply) => {
    const at = request.url.indexOf('?');
    const query = at < 0 ? '' : request.url.slice(at + 1);
    const word = query.length > LONGEST_QUERY ? asWord('-') : asWord(query || '-');
    return reply.redirect(`/connect?request=${word}`, 302);
  });

  app.post(REGISTER, async (request, reply) => {
    const network = networkOf(request.ip);
    const headers: Record<string, string> = {};
    await limits.take('registrations', network, headers).finally(() => {
      reply.headers(headers);
    });
    const body = await receive(request.raw);
    if (addressOf(request) === undefined)
      return refuse(reply, 'invalid_client_metadata', httpsNeeded.detail);
    const made = await registerClient(db, jsonOf(body));
    if ('error' in made)
      return refuse(
        reply,
        made.error,
        made.detail,
        made.error === 'temporarily_unavailable' ? 503 : 400,
      );
    return reply.code(201).send({
      client_id: made.id,
      client_id_issued_at: Math.floor(made.at.getTime() / 1000),
      client_name: made.name,
      redirect_uris: made.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  app.post(TOKEN, async (request, reply) => {
    const form = formOf(request, await receive(request.raw));
    const address = addressOf(request);
    if (address === undefined) return refuse(reply, 'invalid_request', httpsNeeded.detail);
    if (form === undefined) return refuse(reply, 'invalid_request', NO_FORM);
    const { grant_type: grant, client_id: clientId = '', resource } = form;
    if (!UUID.test(clientId)) return refuse(reply, 'invalid_client', NO_CLIENT, 401);
    if (resource !== undefined && resource !== resourceAt(address))
      return refuse(reply, 'invalid_target', `The only resource here is ${resourceAt(address)}`);
    const of = { clientId, requestId: request.id };
    if (grant === 'authorization_code') {
      const { code = '', redirect_uri: redirectUri = '', code_verifier: verifier = '' } = form;
      return grantedOr(
        reply,
        await redeemCode(db, { ...of, code, redirectUri, verifier }),
        NO_CODE,
      );
    }
    if (grant === 'refresh_token')
      return grantedOr(
        reply,
        await refresh(db, next, { ...of, token: form.refresh_token ?? '' }),
        NO_TOKEN,
      );
    return refuse(
      reply,
      'unsupported_grant_type',
      'Send grant_type authorization_code or refresh_token',
    );
  });

  app.post(REVOKE, async (request, reply) => {
    const form = formOf(request, await receive(request.raw));
    if (form === undefined) return refuse(reply, 'invalid_request', NO_FORM);
    const { client_id: clientId = '', token = '' } = form;
    if (!UUID.test(clientId)) return refuse(reply, 'invalid_client', NO_CLIENT, 401);
    await revokeToken(db, { clientId, token, requestId: request.id });
    return reply.code(200).send('');
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_FORM = 'Send a form (application/x-www-form-urlencoded), with each parameter once';
const NO_CLIENT = 'Send the client_id of the registration; register again if it is lost';
const NO_CODE =
  'The code is not valid for this client_id, redirect_uri and code_verifier, was used, or is older than a minute: ask the person again';
const NO_TOKEN =
  'The refresh token is not valid for this client_id, was used before, or its connection has ended: ask the person again';

const refuse = (reply: FastifyReply, error: string, description: string, status = 400) =>
  reply.code(status).send({ error, error_description: description });

const grantedOr = (reply: FastifyReply, granted: Granted | undefined, otherwise: string) =>
  granted === undefined
    ? refuse(reply, 'invalid_grant', otherwise)
    : reply.send({
        access_token: granted.access,
        token_type: 'Bearer',
        expires_in: granted.seconds,
        refresh_token: granted.refresh,
        scope: granted.readOnly ? 'read' : 'read write',
      });

/** The fields of a form, or undefined for anything else: also one that has a field twice. */
function formOf(
  { contentType = '' }: FastifyRequest,
  body: Buffer,
): Record<string, string | undefined> | undefined {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType)) return undefined;
  const pairs = [...new URLSearchParams(body.toString())];
  const fields = new Map(pairs);
  return fields.size === pairs.length ? Object.fromEntries(fields) : undefined;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
