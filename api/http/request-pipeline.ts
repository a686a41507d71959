import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  idempotencyKeyReused,
  methodNotAllowed,
  notFound,
  notHttp,
  ValidationError,
} from './errors.ts';
import {
  claim,
  letGo,
  readIdempotencyKey,
  requestHash,
  type SentAnswer,
  settle,
} from './idempotency.ts';
import { compileRequest } from './input/validation.ts';
import type { RateLimits } from './rate-limit.ts';
import { errorBody, renderError, toApiError } from './render-error.ts';
import { type PipelineDeps, RequestContext } from './request-context.ts';
import type { Route } from './route.ts';
import type { AnswerHeaders } from './server/headers.ts';
import { isAmbiguous } from './server/request-hygiene.ts';

declare module 'fastify' {
  interface FastifyRequest {
    context?: RequestContext;
    contentType?: string | undefined;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Prepares a server for `mount`: bodies stay bytes until the caller is known; one renderer for every error. */
export function registerHooks(
  app: FastifyInstance,
  limits: RateLimits,
  always: AnswerHeaders,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('visit', undefined);
  app.decorateRequest('contentType', undefined);
  const ambiguous = new WeakSet<Socket>();
  app.addHook('onRequest', (request, _reply, done) => {
    // What stands behind such a request on its connection may be a part of it.
    const { socket } = request.raw;
    if (ambiguous.has(socket) || isAmbiguous(request.raw)) {
      ambiguous.add(socket);
      return done(notHttp({}, { connection: 'close' }));
    }
    if (request.is404) return done(notFound());
    // What a body is called is for validation to judge (a 422), never for the parser to refuse (a 415).
    request.contentType = request.headers['content-type'];
    if (request.contentType !== undefined)
      request.raw.headers['content-type'] = 'application/octet-stream';
    return done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(always).header('x-request-id', request.id);
    const headers = request.context?.limitHeaders ?? {};
    const finish = () => {
      reply.headers(headers);
      done(null, payload);
    };
    if (reply.hasHeader('ratelimit')) done(null, payload);
    else if (headers.ratelimit !== undefined) finish();
    else limits.show('failedAuth', request.ip, headers).then(finish, done);
  });
  app.setErrorHandler(async (error, request, reply) => {
    if (toApiError(error).status !== 401) return renderError(error, request, reply);
    const headers = {};
    try {
      await limits.take('failedAuth', request.ip, headers);
    } catch (limit) {
      return renderError(limit, request, reply.headers(headers));
    }
    return renderError(error, request, reply.headers(headers));
  });
  app.setNotFoundHandler((request, reply) => renderError(notFound(), request, reply));
}

/** Answers 405 with `Allow` for every other method of the paths that exist. */
export function registerOtherMethods(
  app: FastifyInstance,
  byPath: Map<string, { method: string }[]>,
): void {
  for (const [url, routes] of byPath) {
    const methods: string[] = routes.map(({ method }) => method);
    app.route({
      method: app.supportedMethods.filter((method) => !methods.includes(method)),
      url,
      onRequest: async () => {
        throw methodNotAllowed({}, { allow: methods.join(', ') });
      },
      handler: async () => {},
    });
  }
}

/** A route's path as the router writes it. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * Serves one route in the order of ruling 1.1: credential, rate limit, validation, then the handler, whose statement
 * tells 401, 404 and 403 apart. A body whose key was not seen before waits for the key to be asked for, so that no
 * stranger's body is parsed.
 */
export function registerRoute(app: FastifyInstance, route: Route, deps: PipelineDeps): void {
  const validate = compileRequest(route);
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: {
      response: Object.fromEntries(
        Object.entries(route.responses).map(([status, { schema }]) => [status, schema]),
      ),
    },
    onRequest: async (request, reply) => {
      const context = new RequestContext(deps, route, request, reply);
      request.context = context;
      await context.enter();
      if (route.body !== undefined && !context.known) await context.identify();
    },
    handler: async (request, reply) => {
      const context = request.context as RequestContext;
      await readInput(context, request);
      try {
        return send(reply, await answer(context, reply));
      } catch (error) {
        await recordDenied(context, error);
        throw error;
      }
    },
  });

  async function readInput(context: RequestContext, request: FastifyRequest): Promise<void> {
    const input = validate({
      params: request.params as Record<string, string>,
      search: request.url.includes('?') ? request.url.slice(request.url.indexOf('?') + 1) : '',
      contentType: request.contentType,
      body: request.body as Uint8Array | undefined,
    });
    if (!input.ok) {
      await context.identify();
      throw new ValidationError(input.items);
    }
    Object.assign(context, { params: input.params, query: input.query, body: input.body });
  }

  async function answer(context: RequestContext, reply: FastifyReply): Promise<SentAnswer> {
    const key =
      route.method === 'GET' ? undefined : readIdempotencyKey(context.headers['idempotency-key']);
    if (key === undefined) return context.seal(await route.handle(context as never));
    const { userId } = await context.identify();
    const parts = [
      route.operationId,
      context.params,
      context.query,
      context.body,
      context.headers['if-match'] ?? null,
    ];
    const claimed = await claim(deps.db, userId, key, requestHash(parts));
    if ('replay' in claimed) {
      reply.header('idempotent-replayed', 'true');
      return claimed.replay;
    }
    context.claim = claimed.claim;
    try {
      const answered = await route.handle(context as never);
      if (context.sent !== undefined) return context.sent;
      const sent = context.seal(answered);
      await settle(deps.db, claimed.claim, sent);
      return sent;
    } catch (error) {
      const shown = toApiError(error);
      const { status, headers } = shown;
      // A page may know the key of another request longer than the door: then the key is not this request's to keep.
      const ended =
        shown.code === idempotencyKeyReused.code
          ? letGo(deps.db, claimed.claim)
          : settle(deps.db, claimed.claim, { status, headers, body: errorBody(shown) });
      // Should this fail too, the claim's lease ends by itself.
      await ended.catch(() => {});
      throw error;
    }
  }

  async function recordDenied(
    { caller, params, requestId }: RequestContext,
    error: unknown,
  ): Promise<void> {
    if (route.auditDenied === undefined || caller === undefined) return;
    if (!(error instanceof ApiError) || error.status === 429 || error.status >= 500) return;
    const { action, target } = route.auditDenied;
    const id = target === undefined ? caller.userId : String(params[target]);
    await deps.recordDenied({ caller, action, target: id, code: error.code, requestId });
  }
}

const send = (reply: FastifyReply, { status, headers, body }: SentAnswer) =>
  reply.code(status).headers(headers).header('content-type', JSON_TYPE).send(body);
