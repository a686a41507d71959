import type { FastifyInstance } from 'fastify';
import { type BeginRequest, type Span, within } from '../../telemetry/spans.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span | undefined;
  }
}

const METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
]);

/**
 * Makes every request a span, named by its route template, that continues the caller's
 * `traceparent`. Health checks are not traced: they are constant and say nothing. Call it before
 * the other hooks, so that what they do and log belongs to the span.
 */
export function traceRequests(app: FastifyInstance, begin: BeginRequest): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.url === '/healthz' || request.url === '/readyz') return done();
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const route = request.is404 ? undefined : request.routeOptions.url;
    const name = method === '_OTHER' ? 'HTTP' : method;
    const { traceparent } = request.headers;
    request.span = begin(
      route === undefined ? name : `${name} ${route}`,
      {
        'http.request.method': method,
        'url.scheme': request.protocol === 'https' ? 'https' : 'http',
        'network.protocol.version': request.raw.httpVersion,
        'http.response.header.x-request-id': [request.id],
        ...(route === undefined ? {} : { 'http.route': route }),
      },
      typeof traceparent === 'string' ? traceparent : undefined,
    );
    return request.span === undefined ? done() : within(request.span, done);
  });
  // A body arrives in the async context of its connection, not of its request.
  app.addHook('preValidation', (request, _reply, done) =>
    request.span === undefined ? done() : within(request.span, done),
  );
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request;
    if (span === undefined) return done();
    const status = reply.statusCode;
    const unanswered = reply.raw.writableFinished ? undefined : 'client_closed';
    within(span, done);
    span.end({
      failed: status >= 500 ? String(status) : unanswered,
      attributes: { 'http.response.status_code': status },
    });
  });
}
