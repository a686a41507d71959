import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { ApiError, apiError } from '../../http/errors.ts';
import type { PipelineDeps } from '../../http/pipeline-deps.ts';
import { readBody } from '../../http/read-body.ts';
import { RequestContext } from '../../http/request-context.ts';
import type { Access, Route } from '../../http/route.ts';
import { oauthAddress, resourceAt, SCOPES } from '../../identity/applications/oauth-address.ts';
import { hashAccessToken } from '../../identity/applications/tokens.ts';
import { readAnswer } from './answer.ts';
import { OFFERED, READABLE } from './offered.ts';
import { type Ask, protocolServer } from './protocol.ts';
import { toolsOf } from './tools.ts';

const PATH = '/mcp';
const METADATA = '/.well-known/oauth-protected-resource';

/** What is served, beside operations, to clients of the Model Context Protocol. */
export const MCP_ROUTES: { method: string; path: string }[] = [
  { method: 'POST', path: PATH },
  { method: 'GET', path: METADATA },
  { method: 'GET', path: `${METADATA}${PATH}` },
];

/** A message holds at most one message to an agent, which is the largest body of a tool. */
const MOST_BYTES = 1024 * 1024;
/** Messages in one request, each of which may be a call. */
const MOST_MESSAGES = 16;

const foreignOrigin = apiError(
  403,
  'foreign_origin',
  'Pages of other sites may not use this address: connect a program, without an Origin header',
);
const tooManyMessages = apiError(
  400,
  'too_many_messages',
  `One request carries at most ${MOST_MESSAGES} messages: send them in several`,
);
const keyNeeded = apiError(
  401,
  'not_authenticated',
  'Not authenticated: send an API key as `Authorization: Bearer <key>`',
);

/** Anyone with a valid key; what they may do, each operation decides. */
const withKey: Access<Record<string, never>, { read_only: boolean }> = {
  sql: () => sql`
    access as materialized (
      select true as found, null::text as denied_because, caller.scope as organization_id,
             caller.read_only
        from caller)`,
};

/**
 * Access tokens of connected applications are for this address alone (RFC 8707), so the API takes none.
 * While a message is answered, its calls carry a pass instead: a random word that stands for the hash
 * of the token within this process.
 */
export type Passes = Map<string, Buffer>;

type Deps = PipelineDeps & { table: readonly Route[]; version: string; passes: Passes };

/**
 * The Model Context Protocol at `POST /mcp`, without sessions: each request stands for itself, so
 * any process answers it, and there are no streams to open. A call of a tool is a request to the
 * API, which passes through the same pipeline as one over HTTP, with the same key.
 */
export function serveMcp(app: FastifyInstance, deps: Deps): void {
  const { publicUrl, table, version, passes } = deps;
  const own = {
    ...deps,
    hashKey: (token: string) => deps.hashKey(token) ?? hashAccessToken(token),
  };
  const readable = READABLE.flatMap((each) => {
    const route = table.find(({ operationId }) => operationId === each.operationId);
    return route === undefined ? [] : [{ ...each, path: route.path }];
  });
  const offered = { version, publicUrl, tools: toolsOf(table, OFFERED), readable };
  const route = { method: 'GET' as const, access: withKey as never };
  const challengeFor = ({ headers }: FastifyRequest) =>
    `Bearer resource_metadata="${oauthAddress(publicUrl, headers.host) ?? publicUrl}${METADATA}${PATH}"`;

  for (const path of [METADATA, `${METADATA}${PATH}`])
    app.get(path, { exposeHeadRoute: false }, ({ headers }) => {
      const address = oauthAddress(publicUrl, headers.host);
      return {
        resource: resourceAt(address ?? publicUrl),
        resource_name: 'Guildhall',
        resource_documentation: `${publicUrl}/docs`,
        bearer_methods_supported: ['header'],
        // Without them, a client knows that only a key opens it.
        ...(address !== undefined && {
          authorization_servers: [address],
          scopes_supported: SCOPES,
        }),
      };
    });

  app.route({
    method: 'POST',
    url: PATH,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      try {
        requireOwnOrigin(request, publicUrl);
        // A cookie comes along with what any page of this server sends; a key is meant.
        delete request.raw.headers.cookie;
        if (request.headers.authorization === undefined) throw keyNeeded();
        request.context = new RequestContext(own, route, request, reply);
        await request.context.takeKnownLimit();
      } catch (error) {
        throw challenging(error, challengeFor(request));
      }
    },
    handler: async (request, reply) => {
      try {
        const context = request.context as RequestContext;
        const caller = await deps.slots.run(() => context.load());
        const text = await readBody(request.raw, MOST_BYTES);
        return await answer(request, reply, caller as unknown as Found, text);
      } catch (error) {
        if (!request.raw.complete) reply.header('connection', 'close');
        throw challenging(error, challengeFor(request));
      }
    },
  });

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { read_only: readOnly }: Found,
    body: Buffer,
  ) {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const parsedBody = jsonOf(body);
    if (Array.isArray(parsedBody) && parsedBody.length > MOST_MESSAGES) throw tooManyMessages();
    const { ask, done } = askerFor(app, request, passes);
    const { fetch: serve, close } = createMcpHandler(
      () => protocolServer(offered, { readOnly, ask }),
      {
        // Nothing here changes by itself that could be listened for.
        maxSubscriptions: 0,
        onerror: (err) => request.log.debug({ err }, 'a message to /mcp could not be used'),
      },
    );
    try {
      const sent = await serve(
        new Request(`${publicUrl}${PATH}`, {
          method: 'POST',
          headers: protocolHeaders(request),
          body: new Uint8Array(body),
        }),
        parsedBody === undefined ? {} : { parsedBody },
      );
      reply.code(sent.status);
      const type = sent.headers.get('content-type');
      if (type !== null) reply.header('content-type', type);
      return reply.send(await sent.text());
    } finally {
      done();
      await close();
    }
  }
}

type Found = Caller & { read_only: boolean };

/**
 * Sends requests to the API as the caller of a request, from the same address, until it is done.
 */
function askerFor(
  app: FastifyInstance,
  outer: FastifyRequest,
  passes: Passes,
): { ask: Ask; done: () => void } {
  const { host, traceparent } = outer.headers;
  const agent = outer.headers['user-agent'];
  const token = /^bearer +(\S+) *$/i.exec(outer.headers.authorization ?? '')?.[1] ?? '';
  const tokenHash = hashAccessToken(token);
  const pass = tokenHash === undefined ? undefined : randomBytes(32).toString('base64url');
  if (pass !== undefined) passes.set(pass, tokenHash as Buffer);
  const authorization = pass === undefined ? outer.headers.authorization : `Bearer ${pass}`;
  const ask: Ask = async ({ method, url, headers, payload }) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...headers,
        authorization,
        ...(host === undefined ? {} : { host }),
        'x-request-id': outer.id,
        ...(agent === undefined ? {} : { 'user-agent': agent }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      remoteAddress: outer.ip,
      payloadAsStream: true,
      ...(payload === undefined ? {} : { payload }),
    });
    const answer = await readAnswer(response.statusCode, response.headers, response.stream());
    // Whoever writes the rest would wait for its reader for ever, and keep its place.
    if (answer.cut) response.raw.res.destroy();
    return answer;
  };
  return { ask, done: () => pass !== undefined && passes.delete(pass) };
}

/** Of the headers, those that the protocol reads; never the key. */
function protocolHeaders({ headers, contentType = '' }: FastifyRequest): Headers {
  const given = new Headers({ 'content-type': contentType });
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && (name === 'accept' || name.startsWith('mcp-')))
      given.set(name, value);
  return given;
}

/** A page that has made this server's name resolve to it (DNS rebinding) shows by its origin. */
function requireOwnOrigin({ headers: { origin } }: FastifyRequest, publicUrl: string): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin) throw foreignOrigin();
}

function challenging(error: unknown, challenge: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  return new ApiError(error.status, error.code, error.message, error.extra, {
    ...error.headers,
    'www-authenticate': challenge,
  });
}

/** Undefined for what is no JSON, which the protocol refuses in its own form. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
