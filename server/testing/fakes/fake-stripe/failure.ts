/** An answer of the API. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A refusal as Stripe words it. `saved`: execution had begun, so the idempotency key keeps it. */
export class Failure extends Error {
  readonly status: number;
  readonly error: Record<string, unknown>;
  readonly saved: boolean;

  constructor(status: number, error: Record<string, unknown>, saved = true) {
    super(String(error.message ?? error.code));
    this.status = status;
    this.error = error;
    this.saved = saved;
  }
}

/** The parameters are wrong: nothing was executed, and nothing is kept under the key. */
export const invalid = (message: string, param: string, code = 'parameter_invalid'): Failure =>
  new Failure(400, { type: 'invalid_request_error', code, message, param }, false);

/** An object that a parameter or the path names does not exist. */
export const missing = (what: string, id: string, param = 'id'): Failure =>
  new Failure(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
    param: param === 'id' ? 'intent' : param,
  });

/** The object exists but is in no state for this. */
export const notNow = (
  code: string,
  message: string,
  more: Record<string, unknown> = {},
): Failure => new Failure(400, { type: 'invalid_request_error', code, message, ...more });
