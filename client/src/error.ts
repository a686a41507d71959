import type { components } from './schema.d.ts';

/** The errors that the API declares. */
export type ErrorCode = components['schemas']['ErrorCode'];

/**
 * Errors without such an answer: `validation_error` is a 422, which has `fields`; `network_error`
 * and `timeout` have no answer at all (status 0); `unexpected_answer` is none of Guildhall's, such
 * as the page of a proxy.
 */
export type ClientErrorCode =
  | 'validation_error'
  | 'network_error'
  | 'timeout'
  | 'unexpected_answer';

/** A field of a request that was refused: where it is, as `['body', 'name']`, and why. */
export type FieldError = components['schemas']['ValidationError'];

/** What an answer was refused with, or why there is none. */
export interface Failure {
  status: number;
  code: string;
  detail: string;
  requestId?: string | undefined;
  fields?: readonly FieldError[] | undefined;
  /** The whole body of the answer, if it is JSON. */
  body?: Readonly<Record<string, unknown>> | undefined;
  /** How long the server asks to wait, in milliseconds. */
  retryAfter?: number | undefined;
  method: string;
  path: string;
  cause?: unknown;
}

/** A request that failed. The message is for people; `code` is stable, for programs. */
export class GuildhallError extends Error {
  override readonly name = 'GuildhallError';
  /** The HTTP status, or 0 if there is no answer. */
  readonly status: number;
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** What went wrong and what to do, for people. */
  readonly detail: string;
  /** The id of the request in the log of the server: quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** What is wrong with each refused field; empty unless `status` is 422. */
  readonly fields: readonly FieldError[];
  /** The whole body of the answer: some errors say more, such as `blockers`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(failure: Failure) {
    const { status, code, detail, requestId, fields = [], body = {}, method, path } = failure;
    const suffix = requestId === undefined ? '' : `, request ${requestId}`;
    const { cause } = failure;
    const options = cause === undefined ? undefined : { cause };
    super(`${detail} (${code}, ${method} ${path}${suffix})`, options);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.fields = fields;
    this.body = body;
    this.retryAfter = failure.retryAfter;
  }

  /** Why this field of the body, or parameter, was refused. */
  field(name: string): FieldError | undefined {
    return this.fields.find(({ loc }) => loc.slice(1).join('.') === name);
  }

  /** Is it one of these errors? Without codes: is it an error of a request at all? */
  static is<Code extends ErrorCode | ClientErrorCode | (string & {})>(
    error: unknown,
    ...codes: Code[]
  ): error is GuildhallError & { readonly code: Code } {
    return (
      error instanceof GuildhallError && (codes.length === 0 || codes.includes(error.code as Code))
    );
  }
}
