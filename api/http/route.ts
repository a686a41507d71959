import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/database/database.ts';
import type { Sql } from '../db/sql.ts';
import type { ApiErrorKind, FieldErrorKind } from './errors.ts';

/** The spec's areas: the tags of the document. */
export type Area =
  | 'Account'
  | 'Projects'
  | 'Tasks'
  | 'Plans & Artifacts'
  | 'Workspaces'
  | 'Members & Invitations'
  | 'Billing'
  | 'Workspace Billing';

/** Who is behind the key. Made by the door alone. */
export interface Caller {
  readonly userId: string;
  readonly keyId: string;
}

/**
 * Who may do something to an object, as SQL: common table expressions that follow `caller` (user_id, key_id, two_factor;
 * no row when the key opens nothing) and end in `access`: no row when the object does not exist, otherwise one row with
 * `denied_because` (null: authorized) and the columns of `Row`. `lock` asks for the object's row to be locked first (ruling 5.6).
 */
export interface Access<Params, Row> {
  sql(params: Params, lock: boolean): Sql;
  /** Never read: carries the row's type to the page. */
  readonly row?: Row;
}

/** What a page answers: `body` is an object of the declared schema, or JSON text that PostgreSQL made. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * What a handler gets. The database is only reachable through the access of the route: `authorized` in SQL is the access
 * row of a caller who may, and has no row otherwise; the door answers 401, 404 or 403 before the handler sees a row.
 */
export interface Context<Params, Query, Body, Row> {
  params: Params;
  query: Query;
  body: Body;
  headers: Record<string, string | undefined>;
  /** The path and query as sent: for links to the next page. */
  url: string;
  requestId: string;
  /** One statement, key and access included: `select` reads from `authorized` and returns its one row. */
  statement<Result>(
    parts: { with?: Sql; select: Sql },
    answer: (row: Row & Caller & Result) => Answer,
  ): Promise<Answer>;
  /** One transaction whose first statement checks the key, loads the object and locks it. Its answer is kept with it. */
  transaction(work: (tx: Tx, authorized: Row & Caller) => Promise<Answer>): Promise<Answer>;
  /** The access row alone. */
  load(): Promise<Row & Caller>;
  /** A transaction of its own for a caller whom `load` let in: when an answer takes more than one. */
  begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

type Input<Schema> = Schema extends TObject ? Static<Schema> : Record<string, never>;

/** One operation: everything the door, the document and the tests need to know of it. */
export interface Route<
  Params extends TObject | undefined = TObject | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Body extends TObject | undefined = TObject | undefined,
  Row = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for a parameter, as in the document. */
  path: string;
  area: Area;
  operationId: string;
  summary: string;
  description: string;
  access: Access<Input<Params>, Row>;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Successful answers by status: schema, sentence, a real example. */
  responses: Record<
    number,
    { description: string; schema: TSchema; example: unknown; headers?: string[] }
  >;
  /** Every refusal of its own; those of the door (401, 422, 429, ...) are added by `declaredRefusals`. */
  errors: readonly (ApiErrorKind | FieldErrorKind)[];
  /** Request headers it understands beyond the common ones. */
  headers?: Record<string, string>;
  /** Refused attempts are recorded too (ruling 1.17): as this action, on the object of this path parameter or the caller. */
  auditDenied?: { action: string; target?: string };
  /** A stricter limit of its own beside the user's (ruling 1.12). */
  limit?: 'addFunds';
  handle(context: Context<Input<Params>, Input<Query>, Input<Body>, Row>): Promise<Answer>;
}

/** Declares an operation. `access` is required: there is no way to the database without it. */
export function route<
  Row,
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
>(definition: Route<Params, Query, Body, Row>): Route {
  return definition as unknown as Route;
}
