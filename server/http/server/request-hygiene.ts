import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { withoutSecrets } from '../../telemetry/hide-secrets.ts';
import {
  type ApiErrorKind,
  expectationFailed,
  headersTooLarge,
  notHttp,
  requestTimeout,
} from '../errors.ts';
import type { Connections } from './connections.ts';
import type { AnswerHeaders } from './headers.ts';

/**
 * The caller's X-Request-Id if it may be logged, otherwise a new one. A secret may not: the id is
 * stored in the audit trail and sent in traces.
 */
export const requestId =
  (newId: () => string) =>
  (request: { headers: IncomingMessage['headers'] }): string => {
    const given = request.headers['x-request-id'];
    const fit =
      typeof given === 'string' &&
      /^[\w.:-]{1,100}$/.test(given) &&
      given === withoutSecrets(given);
    return fit ? given : newId();
  };

/**
 * Whether a proxy and this server might parse the request differently: no host or two, an encoding
 * other than chunked, chunks in HTTP/1.0, which has none, or another HTTP version (RFC 9112, 2.3,
 * 3.2 and 6.1). Node joins repeated headers with commas.
 */
export const isAmbiguous = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers['transfer-encoding'];
  if (httpVersion === '1.0') return encoding !== undefined;
  if (httpVersion !== '1.1' || (encoding !== undefined && encoding.toLowerCase() !== 'chunked'))
    return true;
  return headers.host === undefined || headers.host.includes(',');
};

/**
 * A path with broken percent-encoding would never reach its route. What cannot be decoded becomes
 * U+FFFD, so that validation can say which id is malformed. An absolute address loses its host,
 * because no answer may repeat it.
 */
export function repairUrl(request: { url?: string | undefined }): string {
  const target = request.url ?? '/';
  const url = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '/');
  // `*` is no path; the router would take it for the root.
  if (!url.startsWith('/')) return `/${url}`;
  if (!url.includes('%')) return url;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  try {
    decodeURI(path);
    return url;
  } catch {
    const escaped = path.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25').replaceAll('+', '%2B');
    const decoded = new URLSearchParams(`p=${escaped.replaceAll('&', '%26')}`).get('p') ?? '';
    return decoded.split('/').map(encodeURIComponent).join('/') + (end < 0 ? '' : url.slice(end));
  }
}

/**
 * Logs one line per request: ids, route, status, duration, the bytes of events, and `left` for a
 * caller who disconnected. Never a header, a body or a query.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, streamed = 0 } = request.context ?? {};
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ...(streamed === 0 ? {} : { bytes: streamed }),
        ...(reply.raw.writableFinished ? {} : { left: true }),
        ms: Math.round(reply.elapsedTime * 1000) / 1000,
        ...(caller === undefined ? {} : { userId: caller.userId, keyId: caller.keyId }),
      },
      'request',
    );
    done();
  });
}

const BROKEN: Record<string, ApiErrorKind> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
};

/**
 * Answers and disconnects input that never becomes a request: not HTTP, headers too large, or too
 * slow.
 */
export function refuseBrokenRequests(always: AnswerHeaders, connections: Connections) {
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    ...always,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = connections.of(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || connection === undefined) {
      socket.destroy();
      return;
    }
    // Whatever still arrives must not become a request.
    socket.pause();
    const { exchanges, latest } = connection;
    // The client would take this answer for that of an earlier request that is still running, so
    // that request's answer is the last one.
    const before = [...exchanges].findLast(({ request }) => request.complete);
    if (before !== undefined) {
      before.response.shouldKeepAlive = false;
      before.response.once('close', () => socket.end());
      return;
    }
    const waited = latest !== undefined && !latest.request.complete;
    if (waited && (!exchanges.has(latest) || latest.response.headersSent)) {
      connections.end(connection);
      return;
    }
    const { status, code, detail } = BROKEN[error.code ?? ''] ?? notHttp;
    const body = JSON.stringify({ detail, code });
    // The connection is closed soon, whether or not the client closes it.
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`,
    );
  };
}

/**
 * Answers `Expect` headers that this server does not support; by default Node answers them with an
 * empty body.
 */
export function refuseExpectations(server: Server, always: AnswerHeaders): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, detail, code } = expectationFailed;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      ...always,
      connection: 'close',
    };
    response.writeHead(status, headers).end(JSON.stringify({ detail, code }));
  });
}
