import { type ErrorItem, echo, itemAt, type Sent, withoutSecrets } from './input/error-item.ts';

/**
 * An error shown to the caller: `{detail, code, ...extra}`. Declared in the catalogs, thrown by
 * name, rendered in one place.
 */
export class ApiError extends Error {
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

/** 422: the spec's array of items, with Pydantic's vocabulary. `items` is never empty. */
export class ValidationError extends ApiError {
  readonly items: readonly ErrorItem[];

  constructor(items: readonly ErrorItem[]) {
    super(422, items[0]?.type ?? 'invalid', 'Validation error');
    this.items = items;
  }

  /** The same error with the values as they were sent as `input`, but no secret of the body. */
  echoing(sent: Sent, body?: Parameters<typeof withoutSecrets>[1]): ValidationError {
    const items = this.items.map((item) => echo(item, sent));
    return new ValidationError(withoutSecrets(items, body));
  }
}

/**
 * A declared error: call it to make the error to throw; the document shows its status, code and
 * detail.
 */
export interface ApiErrorKind {
  (extra?: Record<string, unknown>, headers?: Record<string, string>): ApiError;
  status: number;
  code: string;
  detail: string;
  headers: Record<string, string>;
}

/**
 * Declares an error once: status, machine-readable code, sentence for people, and headers it always
 * has.
 */
export function apiError(
  status: number,
  code: string,
  detail: string,
  headers: Record<string, string> = {},
): ApiErrorKind {
  const make = (extra = {}, more = {}) =>
    new ApiError(status, code, detail, extra, { ...headers, ...more });
  return Object.assign(make, { status, code, detail, headers });
}

/**
 * A rule about an input field (ruling 1.4): a 422 at that field. The answer shows the value that
 * was sent; `input` is only needed where none stands in the request.
 */
export interface FieldErrorKind {
  (input?: unknown): ValidationError;
  status: 422;
  item: ErrorItem;
}

/** Declares a 422 of our own: its type, location and sentence. */
export function fieldError(type: string, loc: (string | number)[], msg: string): FieldErrorKind {
  const make = (input?: unknown) => new ValidationError([itemAt(type, loc, msg, input)]);
  return Object.assign(make, { status: 422 as const, item: { type, loc, msg } });
}

const RETRY = { 'retry-after': '5' };

export const notFound = apiError(404, 'not_found', 'Not Found');
export const methodNotAllowed = apiError(405, 'method_not_allowed', 'Method Not Allowed');
export const notAuthenticated = apiError(401, 'not_authenticated', 'Not authenticated', {
  'www-authenticate': 'Bearer',
});
export const invalidApiKey = apiError(401, 'invalid_api_key', 'Invalid API key', {
  'www-authenticate': 'Bearer',
});
export const rateLimited = apiError(
  429,
  'rate_limited',
  'Too many requests: wait for Retry-After seconds, then try again',
);
export const forbidden = apiError(
  403,
  'forbidden',
  'You do not have permission to do this: ask an owner or admin for it',
);
export const operatorRequired = apiError(
  403,
  'operator_required',
  'Only operators of this server may do this: its command line makes people operators',
);
export const workspaceCreationClosed = apiError(
  403,
  'workspace_creation_closed',
  'On this server only operators create workspaces: ask one to create it and to make you its owner',
);
export const projectCreationClosed = apiError(
  403,
  'project_creation_closed',
  'On this server only operators create projects: ask one to create it',
);
export const personalProjectsClosed = apiError(
  403,
  'personal_projects_closed',
  'This server has no personal projects: create the project in a workspace',
);
export const twoFactorRequired = apiError(
  403,
  'two_factor_required',
  'This workspace requires two-factor authentication: enable it in your dashboard settings',
);
export const keyReadOnly = apiError(
  403,
  'key_read_only',
  'This API key is read-only: use a key with full access',
);
export const keyOutOfScope = apiError(
  403,
  'key_out_of_scope',
  'This API key is limited to one workspace, and this is not part of it: use another key',
);
export const crossSiteRequest = apiError(
  403,
  'cross_site_request',
  'A browser session may only make changes from the pages of this server: use an API key elsewhere',
);
export const sessionRequired = apiError(
  403,
  'session_required',
  'This is for people who are signed in with a browser: an API key cannot do it',
);
export const proofRequired = apiError(
  403,
  'proof_required',
  'Prove again that it is you, by your password, a code or a passkey, and then repeat this',
);
export const rangeNotSatisfiable = apiError(
  416,
  'range_not_satisfiable',
  'The file ends before this range begins: ask for a range within its size',
);
export const unreadableBody = apiError(
  400,
  'unreadable_body',
  'There was an error parsing the body',
);
export const badRequest = apiError(
  400,
  'bad_request',
  'The request could not be understood: check its path, headers and body',
);
export const notHttp = apiError(
  400,
  'bad_request',
  'The request is not valid HTTP, or could be read in two ways: check its headers',
);
export const expectationFailed = apiError(
  417,
  'expectation_failed',
  'The only supported expectation is 100-continue: send the request without another one',
);
export const requestTimeout = apiError(
  408,
  'request_timeout',
  'The request took too long to arrive: send it again',
);
export const headersTooLarge = apiError(
  431,
  'headers_too_large',
  'The URL and the headers of the request are larger than 16 KiB: make them shorter',
);
export const bodyTooLarge = apiError(
  413,
  'body_too_large',
  'The request body is larger than this operation accepts: send a smaller one',
);
export const idempotencyKeyInvalid = fieldError(
  'idempotency_key_invalid',
  ['header', 'Idempotency-Key'],
  'Idempotency-Key should be 1 to 255 printable ASCII characters',
);
export const idempotencyKeyReused = apiError(
  409,
  'idempotency_key_reused',
  'This Idempotency-Key was used for a different request: use a new key',
);
export const idempotencyInProgress = apiError(
  409,
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still running: try again later',
  { 'retry-after': '1' },
);
export const internalError = apiError(500, 'internal_error', 'Internal Server Error');
export const databaseUnavailable = apiError(
  503,
  'database_unavailable',
  'The database cannot be reached right now: try again later',
  RETRY,
);
