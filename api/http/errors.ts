import { type ErrorItem, fieldError } from './input/error-item.ts';

/** A refusal that a caller reads: `{detail, code, ...extra}`. Thrown by name from the catalogs; rendered in one place. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, extra = {}, headers = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.extra = extra;
    this.headers = headers;
  }
}

/** 422: the array of the spec (see validation.md's vocabulary). `items` is never empty. */
export class ValidationError extends HttpError {
  readonly items: readonly ErrorItem[];

  constructor(items: readonly ErrorItem[]) {
    super(422, items[0]?.type ?? 'invalid', 'Validation error');
    this.items = items;
  }
}

/** A named refusal: call it to make the error to throw; its status, code and detail are what the document shows. */
export interface Refusal {
  (extra?: Record<string, unknown>, headers?: Record<string, string>): HttpError;
  status: number;
  code: string;
  detail: string;
  headers: Record<string, string>;
}

/** Declares a refusal once: status, machine-readable code, the sentence people read, headers it always carries. */
export function refusal(
  status: number,
  code: string,
  detail: string,
  headers: Record<string, string> = {},
): Refusal {
  const make = (extra = {}, more = {}) =>
    new HttpError(status, code, detail, extra, { ...headers, ...more });
  return Object.assign(make, { status, code, detail, headers });
}

/** A rule broken by an input field (ruling 1.4): a 422 at that field. */
export interface FieldRefusal {
  (input: unknown): ValidationError;
  status: 422;
  item: ErrorItem;
}

/** Declares a 422 of our own: its type, where it points, its sentence. */
export function fieldRefusal(type: string, loc: (string | number)[], msg: string): FieldRefusal {
  const make = (input: unknown) => new ValidationError([fieldError(type, loc, msg, input)]);
  return Object.assign(make, { status: 422 as const, item: { type, loc, msg } });
}

const RETRY = { 'retry-after': '5' };

export const notFound = refusal(404, 'not_found', 'Not Found');
export const methodNotAllowed = refusal(405, 'method_not_allowed', 'Method Not Allowed');
export const notAuthenticated = refusal(401, 'not_authenticated', 'Not authenticated', {
  'www-authenticate': 'Bearer',
});
export const invalidApiKey = refusal(401, 'invalid_api_key', 'Invalid API key', {
  'www-authenticate': 'Bearer',
});
export const rateLimited = refusal(
  429,
  'rate_limited',
  'Too many requests: wait for Retry-After seconds, then try again',
);
export const forbidden = refusal(403, 'forbidden', 'You do not have permission to do this');
export const twoFactorRequired = refusal(
  403,
  'two_factor_required',
  'This workspace requires two-factor authentication: switch it on in your dashboard settings',
);
export const unreadableBody = refusal(
  400,
  'unreadable_body',
  'There was an error parsing the body',
);
export const badRequest = refusal(400, 'bad_request', 'The request could not be understood');
export const notHttp = refusal(400, 'bad_request', 'The request is not valid HTTP');
export const expectationFailed = refusal(
  417,
  'expectation_failed',
  'The only expectation this server understands is 100-continue',
);
export const requestTimeout = refusal(
  408,
  'request_timeout',
  'The request took too long to arrive',
);
export const headersTooLarge = refusal(
  431,
  'headers_too_large',
  'The address and the headers of the request are over 16 KiB',
);
export const bodyTooLarge = refusal(413, 'body_too_large', 'The request body is over 64 KiB');
export const idempotencyKeyInvalid = fieldRefusal(
  'idempotency_key_invalid',
  ['header', 'Idempotency-Key'],
  'Idempotency-Key should be 1 to 255 printable ASCII characters',
);
export const idempotencyKeyReused = refusal(
  409,
  'idempotency_key_reused',
  'This Idempotency-Key was used for a different request: use a new key',
);
export const idempotencyInProgress = refusal(
  409,
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still running: try again later',
  { 'retry-after': '1' },
);
export const internalError = refusal(500, 'internal_error', 'Internal Server Error');
export const databaseUnavailable = refusal(
  503,
  'database_unavailable',
  'The database cannot be reached right now: try again later',
  RETRY,
);
