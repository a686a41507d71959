import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';
import { ApiError, notFound } from './errors.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { RequestContext } from './request-context.ts';
import type { Access } from './route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Its clients send their credential by HTTP Basic once they are asked for it, and show errors
     * to people as text.
     */
    basic?: boolean;
  }
}

export type ServiceDeps = PipelineDeps;

/** A path that is no operation of the API and has the same callers, for programs such as Git. */
interface Service<Params extends Record<string, string>, Row> {
  method: 'GET' | 'POST';
  /** In the router's notation. */
  path: string;
  /** The parameters of the path, and undefined where there can be no such object. */
  params(given: Record<string, string>): Params | undefined;
  access: Access<{ params: Params }, Row>;
  /** What is answered instead of a refusal of the access. */
  refusal(error: ApiError): ApiError;
  /** `find` finds what the caller may do now. Errors: as the access has them. */
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    found: Row & Caller,
    find: () => Promise<Row & Caller>,
  ): Promise<unknown>;
}

/**
 * Serves it as operations are served (ruling 1.1): credential, rate limit, then one statement with
 * the access, which also applies to a key that may only read. The handler decides what such a key
 * may not do. The credential is an API key: the password of HTTP Basic with any user name, or a
 * bearer token. Cookies are ignored.
 */
export function registerService<Params extends Record<string, string>, Row>(
  app: FastifyInstance,
  service: Service<Params, Row>,
  deps: ServiceDeps,
): void {
  const route = { method: 'GET' as const, access: service.access as never };
  app.route({
    method: service.method,
    url: service.path,
    exposeHeadRoute: false,
    config: { basic: true },
    onRequest: async (request, reply) => {
      const { headers } = request.raw;
      delete headers.cookie;
      headers.authorization = asBearer(headers.authorization);
      if (headers.authorization === undefined) delete headers.authorization;
      request.context = new RequestContext(deps, route, request, reply);
      await request.context.takeKnownLimit();
    },
    handler: async (request, reply) => {
      const context = request.context as RequestContext;
      try {
        const params = service.params(request.params as Record<string, string>);
        if (params === undefined) {
          await context.authenticate();
          throw notFound();
        }
        context.params = params;
        const find = async () =>
          (await deps.slots.run(() => context.load())) as unknown as Row & Caller;
        return await service.handle(request, reply, await find(), find);
      } catch (error) {
        // The rest of a body that was not read would come before the next request.
        if (!request.raw.complete) reply.header('connection', 'close');
        throw error instanceof ApiError ? service.refusal(error) : error;
      }
    },
  });
}

/** The password of HTTP Basic as a bearer token; any other header as it is. */
function asBearer(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([\w+/]+={0,2}) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return authorization;
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  const password = pair.slice(pair.indexOf(':') + 1);
  return /^[\x21-\x7e]+$/.test(password) ? `Bearer ${password}` : undefined;
}
