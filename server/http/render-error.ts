import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../db/database/database.ts';
import {
  ApiError,
  badRequest,
  bodyTooLarge,
  databaseUnavailable,
  internalError,
  unreadableBody,
  ValidationError,
} from './errors.ts';
import { UnreadableBody } from './input/json.ts';

/**
 * Turns anything thrown into an error that a caller may see. Unexpected errors become a 500 without
 * details.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UnreadableBody) return unreadableBody();
  if (error instanceof DatabaseUnavailable) return databaseUnavailable();
  const { code, statusCode } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest();
  return internalError();
}

/** The body of an error: `{detail, code, ...}`, or for a 422 the spec's array. */
export const errorBody = (error: ApiError): string =>
  JSON.stringify(
    error instanceof ValidationError
      ? { detail: error.items }
      : { detail: error.message, code: error.code, ...error.extra },
  );

/**
 * Whether the log line of the request is enough: in an overload there is one for each request that
 * found no place, and why tasks wait is logged where it was found.
 */
const isToldElsewhere = ({ status, code }: ApiError): boolean =>
  status === 503 && (['overloaded', 'tasks_wait'].includes(code) || code.endsWith('_busy'));

/** The one place where an error becomes an answer. */
export function renderError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const shown = toApiError(error);
  if (shown.status >= 500 && !isToldElsewhere(shown))
    request.log.error({ err: error }, 'request failed');
  reply.code(shown.status).headers(shown.headers);
  if (request.routeOptions.config.basic) return sendSentence(shown, reply);
  if (shown.status === 404 && isForBrowser(request)) return sendPage(reply);
  return reply.header('content-type', 'application/json; charset=utf-8').send(errorBody(shown));
}

/** Git shows its users an error only as text. */
function sendSentence(shown: ApiError, reply: FastifyReply) {
  if (shown.status === 401) reply.header('www-authenticate', 'Basic realm="Guildhall"');
  return reply.header('content-type', 'text/plain; charset=utf-8').send(`${shown.message}\n`);
}

/** Addresses that programs ask for, also those of a page. */
const FOR_PROGRAMS = /^\/(api|assets|auth|git)\//;

/** Whether a person has opened an address that no route takes. */
const isForBrowser = ({ is404, headers, url }: FastifyRequest): boolean =>
  is404 && !FOR_PROGRAMS.test(url) && (headers.accept ?? '').includes('text/html');

const sendPage = (reply: FastifyReply) =>
  reply
    .headers({ 'content-type': 'text/html; charset=utf-8', vary: 'accept' })
    .send(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>There is no such page</title>' +
        '<h1>There is no such page</h1><p>The address may be mistyped. <a href="/">Go to the ' +
        'first page</a>.</p></html>\n',
    );
