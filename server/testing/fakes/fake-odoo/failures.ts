/**
 * An exception of the server. `exception` is its class, as clients read it; the rest is how each
 * protocol reports it: the fault's code of XML-RPC and the status of JSON-2.
 */
export class Failure extends Error {
  readonly exception: string;
  readonly fault: number;
  readonly status: number;

  constructor(
    exception: string,
    message: string,
    { fault = 1, status = 500 }: { fault?: number; status?: number } = {},
  ) {
    super(message);
    this.exception = exception;
    this.fault = fault;
    this.status = status;
  }

  /** Exceptions of Python itself have no module in a traceback. */
  get inTraceback(): string {
    return this.exception.replace(/^builtins\./, '');
  }
}

export const accessDenied = () =>
  new Failure('odoo.exceptions.AccessDenied', 'fake: access denied', { fault: 3, status: 403 });

export const accessError = (what: string) =>
  new Failure('odoo.exceptions.AccessError', `fake: not allowed: ${what}`, {
    fault: 4,
    status: 403,
  });

export const missingRecord = (what: string) =>
  new Failure('odoo.exceptions.MissingError', `fake: no record ${what}`, {
    fault: 2,
    status: 404,
  });

export const userError = (what: string) =>
  new Failure('odoo.exceptions.UserError', `fake: ${what}`, { fault: 2, status: 422 });

/** What PostgreSQL refuses: an unknown database as well as a server that is down. */
export const noConnection = () =>
  new Failure('psycopg2.OperationalError', 'fake: no connection to the database');

/** An exception of Python: `TypeError`, `KeyError`. */
export const builtin = (name: string, message: string) =>
  new Failure(`builtins.${name}`, `fake: ${message}`);

/** An answer of the web framework: `NotFound`, `BadRequest`. */
export const werkzeug = (name: string, status: number, message: string) =>
  new Failure(`werkzeug.exceptions.${name}`, `fake: ${message}`, { status });
