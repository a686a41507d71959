import type { IncomingMessage } from 'node:http';
import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ApiError, crossSiteRequest, ValidationError } from './errors.ts';
import { compileRequest, withoutSecrets } from './input/validation.ts';
import type { PublicRoute } from './public-route.ts';
import type { LimitName, RateLimits } from './rate-limit.ts';
import { routerPath } from './request-pipeline.ts';
import type { Answer } from './route.ts';
import { sendText } from './send.ts';
import { networkOf } from './server/client-network.ts';
import { isSameOrigin } from './session-cookie.ts';
import { declaredError } from './violation.ts';

/** What public routes need from the rest of the server. */
interface PublicDeps {
  limits: RateLimits;
  publicUrl: string;
  /** Receives the body of someone who has not proven who they are. */
  receive(request: IncomingMessage): Promise<Buffer>;
}

/**
 * Serves a public route: origin, limit of the network, body, validation, then the handler. It takes
 * no slot of requests, because its sender has proven nothing.
 */
export function registerPublicRoute(
  app: FastifyInstance,
  route: PublicRoute,
  { limits, publicUrl, receive }: PublicDeps,
): void {
  const validate = compileRequest(route);
  const declared = Object.entries(route.responses).filter(([, { schema }]) => schema !== undefined);
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: {
      response: Object.fromEntries(declared.map(([status, { schema }]) => [status, schema])),
    },
    handler: async (request, reply) => {
      if (route.method !== 'GET' && !isSameOrigin(request.headers, publicUrl))
        throw crossSiteRequest({}, CLOSE);
      if (route.admit !== undefined) await admitted(request.raw, route.admit);
      const limitHeaders: Record<string, string> = {};
      const network = networkOf(request.ip);
      const take = (name: LimitName, key: string) =>
        limits.take(name, key, limitHeaders).finally(() => {
          reply.headers(limitHeaders);
        });
      if (route.limit !== undefined) await take(route.limit, network).catch(closing);
      const input = validate({
        params: request.params as Record<string, string>,
        search: request.url.includes('?') ? request.url.slice(request.url.indexOf('?') + 1) : '',
        contentType: request.contentType,
        body: route.body === undefined ? undefined : await receive(request.raw),
      });
      if (!input.ok) throw new ValidationError(withoutSecrets(input.items, route.body));
      const { params, query, body, sent } = input;
      const context = {
        params,
        query,
        body,
        network,
        take,
        giveBack: limits.giveBack,
        headers: request.headers,
        url: request.url,
        requestId: request.id,
      };
      try {
        return send(reply, await route.handle(context as never));
      } catch (cause) {
        const error = declaredError(route, cause);
        throw error instanceof ValidationError ? error.echoing(sent, route.body) : error;
      }
    },
  });
}

/** Small forms, of senders who have not proven who they are. */
export const PUBLIC_BODIES = { atOnce: 32, maxBytes: 4 * 1024, timeout: 5_000 };

const CLOSE = { connection: 'close' };

/** A refusal keeps the connection if the body is here already: a new one would cost more. */
async function admitted(request: IncomingMessage, admit: () => void): Promise<void> {
  try {
    admit();
  } catch (error) {
    // A body that came with its head is complete after this turn of the event loop.
    await afterThisTurn();
    if (request.complete) throw error;
    closing(error as ApiError);
  }
}

/** The body of a request that is over its limit is not received. */
function closing(error: { headers?: Record<string, string> }): never {
  throw Object.assign(error, { headers: { ...error.headers, ...CLOSE } });
}

function send(reply: FastifyReply, { status, body, headers = {}, cookies }: Answer) {
  if (cookies !== undefined) reply.header('set-cookie', cookies);
  const text = typeof body === 'string' ? body : String(reply.code(status).serialize(body));
  return sendText(reply, { status, headers, body: body === undefined ? '' : text });
}
