import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { REFERENCE_MISSING, sqlState } from '../db/database/errors.ts';
import { answerOnce } from './answer-once.ts';
import type { Caller } from './caller.ts';
import { ApiError, ValidationError } from './errors.ts';
import type { EventStreams } from './event-stream.ts';
import type { Exports } from './exports.ts';
import { isRepeatable, readIdempotencyKey } from './idempotency.ts';
import { compileRequest, withoutSecrets } from './input/validation.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import { BODY_LIMIT, DROPPED_AT_MOST, readBody } from './read-body.ts';
import { RequestContext } from './request-context.ts';
import type { Answer, Route } from './route.ts';
import { sendCompressed, sendDownload, sendEvents } from './send.ts';
import { sendFile } from './send-file.ts';
import type { AnswerHeaders } from './server/headers.ts';
import { steadyBody } from './steady-body.ts';
import type { Permit } from './still-allowed.ts';
import type { Transfers } from './transfers.ts';

import { declaredError } from './violation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    context?: RequestContext;
    contentType?: string | undefined;
  }
}

/** A route's path in the router's notation. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * Serves one route in the order of ruling 1.1: credential, rate limit, validation, then the
 * handler, whose statement tells 401, 404 and 403 apart. Nothing costs a place before the database
 * has proven the credential (ruling 10.1): only then is a body received, where the route reads one,
 * and a slot taken.
 */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  deps: PipelineDeps & {
    streams: EventStreams<Permit>;
    /** The headers of every answer. */
    always: AnswerHeaders;
    exports: Exports;
    /** Keys the stored hashes of bodies with a secret in them. */
    serverSecret: string;
    uploads: Transfers;
    downloads: Transfers;
    /** Called when an operation has changed something, before its answer is sent. */
    onChange(route: Route): void;
  },
): void {
  const validate = compileRequest(route);
  const declared = Object.entries(route.responses).filter(([, { schema }]) => schema !== undefined);
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: {
      response: Object.fromEntries(declared.map(([status, { schema }]) => [status, schema])),
    },
    onRequest: async (request, reply) => {
      request.context = new RequestContext(deps, route, request, reply);
      await request.context.takeKnownLimit();
    },
    handler: async (request, reply) => {
      const context = request.context as RequestContext;
      await context.requireKind();
      if (!context.known) await context.authenticate();
      await readInput(context, request, await receive(request, reply));
      try {
        const answered = await placed(context, () => answer(context)).finally(() =>
          closeIfUnread(request, reply),
        );
        return send(context, request, reply, await settled(context, request, answered));
      } catch (error) {
        await recordDenied(context, error);
        throw error;
      }
    },
  });

  // A file takes as long to arrive as its sender likes, so it has another place than a request.
  async function placed(context: RequestContext, work: () => Promise<Answer>): Promise<Answer> {
    if (route.upload === undefined) return deps.slots.run(work);
    const { userId } = await context.authenticate();
    return deps.uploads.run(userId, work);
  }

  // The rest of a file is not read if the file was refused or its answer was stored before.
  function closeIfUnread(request: FastifyRequest, reply: FastifyReply): void {
    if (route.upload !== undefined && !request.raw.complete) reply.header('connection', 'close');
  }

  async function receive(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Uint8Array | undefined> {
    if (route.body !== undefined) return readBody(request.raw, route.bodyLimit ?? BODY_LIMIT);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (route.upload === undefined && announced > DROPPED_AT_MOST)
      reply.header('connection', 'close');
    return undefined;
  }

  async function readInput(
    context: RequestContext,
    request: FastifyRequest,
    body: Uint8Array | undefined,
  ): Promise<void> {
    const input = validate({
      params: request.params as Record<string, string>,
      search: request.url.includes('?') ? request.url.slice(request.url.indexOf('?') + 1) : '',
      contentType: request.contentType,
      body,
    });
    if (!input.ok) {
      await context.authenticate();
      throw new ValidationError(withoutSecrets(input.items, route.body));
    }
    const { params, query, sent } = input;
    Object.assign(context, { params, query, body: input.body, sent });
    if (route.upload !== undefined) {
      const { contentType: mediaType = 'application/octet-stream' } = request;
      context.upload = { mediaType, bytes: steadyBody(request.raw, route.upload.maxBytes) };
    }
  }

  async function answer(context: RequestContext): Promise<Answer> {
    const key = isRepeatable(route)
      ? readIdempotencyKey(context.headers['idempotency-key'])
      : undefined;
    return key === undefined
      ? handle(context)
      : answerOnce(deps.db, key, context, route, handle, deps.serverSecret);
  }

  async function handle(context: RequestContext): Promise<Answer> {
    try {
      const answered = await route.handle(context as never);
      if (route.method !== 'GET') deps.onChange(route);
      return answered;
    } catch (cause) {
      const error = declaredError(route, cause);
      // What it is about was deleted between the check and the write, which then refers to nothing.
      if (sqlState(error) === REFERENCE_MISSING) await context.authorizeNow();
      if (!(error instanceof ValidationError)) throw error;
      // A handler may refuse its input before its statement has proven the credential.
      await context.authenticate();
      throw error.echoing(context.sent, route.body);
    }
  }

  // What is waited for holds no slot, but counts as a stream.
  async function settled(
    { caller }: RequestContext,
    { raw: { socket } }: FastifyRequest,
    answer: Answer,
  ): Promise<Answer> {
    const { later } = answer;
    if (later === undefined) return answer;
    const gone = new AbortController();
    const leave = () => gone.abort();
    // The response would not tell: it has no socket while it waits behind another.
    socket.once('close', leave);
    if (socket.destroyed) leave();
    return deps.streams
      .hold((caller as Caller).userId, (ending) => later(AbortSignal.any([ending, gone.signal])))
      .finally(() => socket.off('close', leave));
  }

  function send(
    context: RequestContext,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
  ) {
    const { file, events, download, cookies } = answer;
    if (cookies !== undefined) reply.header('set-cookie', cookies);
    if (events !== undefined)
      return sendEvents(request, reply, deps, { ...answer, events }, context.viewer(events));
    const { userId = '' } = context.caller ?? {};
    if (file !== undefined)
      return sendFile(request, reply, deps.downloads, userId, { ...answer, file });
    if (download !== undefined) {
      return sendDownload(request, reply, deps.exports, userId, { ...answer, download });
    }
    const sent = context.serialize(answer);
    return sendCompressed(request, reply, {
      ...sent,
      body: route.completeAnswer?.(sent.body) ?? sent.body,
    });
  }

  async function recordDenied(
    { caller, params, requestId }: RequestContext,
    error: unknown,
  ): Promise<void> {
    if (route.auditDenied === undefined || caller === undefined) return;
    if (!(error instanceof ApiError) || error.status === 429 || error.status >= 500) return;
    const { action, target, forOperators } = route.auditDenied;
    // An operation on what is the caller's own has no parameters in its path.
    const named = (params ?? {}) as Record<string, string | undefined>;
    await deps.recordDenied({
      caller,
      action,
      target: target === undefined ? caller.userId : String(named[target]),
      organizationId: named.org_id,
      projectId: named.project_id,
      taskId: named.task_id,
      code: error.code,
      requestId,
      forOperators,
    });
  }
}
