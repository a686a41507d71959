import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound, notHttp } from './errors.ts';
import type { RefuseUnrouted } from './other-methods.ts';
import type { RateLimits } from './rate-limit.ts';
import { renderError, toApiError } from './render-error.ts';
import { networkOf } from './server/client-network.ts';
import type { AnswerHeaders } from './server/headers.ts';
import { isAmbiguous } from './server/request-hygiene.ts';

/**
 * Prepares a server for `registerRoute`: no body is received before its route asks for it, every
 * answer has the same headers, and one renderer turns errors into answers.
 */
export function registerHooks(
  app: FastifyInstance,
  limits: RateLimits,
  always: AnswerHeaders,
  refuseUnrouted: RefuseUnrouted,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.decorateRequest('context', undefined);
  app.decorateRequest('contentType', undefined);
  const ambiguous = new WeakSet<Socket>();
  app.addHook('onRequest', (request, _reply, done) => {
    // Whatever follows such a request on its connection may be a part of it.
    const { socket } = request.raw;
    if (ambiguous.has(socket) || isAmbiguous(request.raw)) {
      ambiguous.add(socket);
      return done(notHttp({}, { connection: 'close' }));
    }
    // A path that ends in a slash has an empty last parameter.
    const params = Object.values(request.params as Record<string, string>);
    if (request.is404) return done(refuseUnrouted(request));
    if (params.at(-1) === '') return done(notFound());
    // The media type of a body is checked by validation (a 422), not by the parser (a 415).
    request.contentType = request.headers['content-type'];
    if (request.contentType !== undefined)
      request.raw.headers['content-type'] = 'application/octet-stream';
    return done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    completeHeaders(request, reply, always);
    if (reply.hasHeader('ratelimit')) return done(null, payload);
    const headers = {};
    limits.show('failedAuth', networkOf(request.ip), headers).then(() => {
      reply.headers(headers);
      done(null, payload);
    }, done);
  });
  app.setErrorHandler(async (error, request, reply) => {
    const { status, code } = toApiError(error);
    // A client that waits to be asked for its credential has not failed.
    const asks = request.routeOptions.config.basic && code === 'not_authenticated';
    if (status !== 401 || asks) return renderError(error, request, reply);
    const headers = {};
    try {
      await limits.take('failedAuth', networkOf(request.ip), headers);
    } catch (limit) {
      return renderError(limit, request, reply.headers(headers));
    }
    return renderError(error, request, reply.headers(headers));
  });
  app.setNotFoundHandler((request, reply) => renderError(notFound(), request, reply));
}

/** Adds the headers of every answer, and those of the limits that its request has counted towards. */
export function completeHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  always: AnswerHeaders,
): void {
  // Only an operation may let its answer be kept, and a file has a stricter policy.
  const kept = request.context && reply.getHeader('cache-control');
  const policy = request.context && reply.getHeader('content-security-policy');
  reply.headers(always).header('x-request-id', request.id);
  if (kept !== undefined) reply.header('cache-control', kept);
  if (policy !== undefined) reply.header('content-security-policy', policy);
  if (!reply.hasHeader('ratelimit')) reply.headers(request.context?.limitHeaders ?? {});
}
