import type { Readable } from 'node:stream';
import Type, { type Static, type TObject, type TSchema, type TString } from 'typebox';
import type { Tx } from '../db/database/database.ts';
import type { Sql } from '../db/sql.ts';
import type { StatementParts } from './authorize.ts';
import type { ApiErrorKind, FieldErrorKind } from './errors.ts';
import type { ServerEvent } from './event-stream.ts';
import { type Examples, PATH_IDS } from './examples.ts';
import { uuid } from './input/fields.ts';

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

/** Who made the request: a user, by a key or by a session. Made by the request pipeline alone. */
export interface Caller {
  readonly userId: string;
  readonly keyId: string | null;
  readonly sessionId: string | null;
}

/** The validated parts of a request. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
}

/**
 * Who may do something to an object, as SQL: common table expressions that follow `caller` (user_id, key_id, session_id,
 * two_factor; no row when the credential opens nothing) and end in `access`: no row when the object does not exist,
 * otherwise one row with `found` (true), `denied_because` (null for a caller who may), `organization_id` (null outside
 * a workspace; a key of one workspace opens no other) and the columns of `Row`. `lock` asks for the object's row to be
 * locked first (ruling 5.6).
 */
export interface Access<From extends Partial<Input>, Row> {
  sql(input: From, lock: boolean): Sql;
  /** What the caller's role must carry; without it anyone may, with what is their own. */
  readonly permission?: string;
  /** Never read: carries the row's type to the operation. */
  readonly row?: Row;
}

/** What an operation answers. At most one of `body`, `file` and `events`; without any of them the answer is empty. */
export interface Answer {
  status: number;
  /** An object of the declared schema, or JSON text that PostgreSQL made. */
  body?: unknown;
  file?: FileAnswer;
  events?: AsyncIterable<ServerEvent>;
  headers?: Record<string, string>;
}

/** Bytes to download, whole or in a range (RFC 9110, 14). */
export interface FileAnswer {
  name: string;
  mediaType: string;
  size: number;
  /** A strong entity tag without its quotes: the SHA-256 of the bytes. */
  sha256: string;
  /** The bytes from `start` to `end`, both included. */
  open(start: number, end: number): Readable;
}

/** Bytes that the caller sends, as they arrive: reading them throws 413 once there are too many. */
export interface Upload {
  mediaType: string;
  bytes: AsyncIterable<Buffer>;
}

/**
 * What a handler gets. The database is only reachable through the access of the route: `authorized` in SQL is the access
 * row of a caller who may, and has no row otherwise; 401, 404 and 403 are answered before the handler sees a row.
 */
export interface Context<Params, Query, Body, Row> extends Input<Params, Query, Body> {
  headers: Record<string, string | undefined>;
  /** The path and query as sent: for links to the next page. */
  url: string;
  requestId: string;
  /** The bytes of a route that takes an upload. */
  upload: Upload;
  /**
   * One statement, credential and access included: `select` reads from `authorized` and returns one row. Of a GET it may
   * only read. Of other methods a refusal is an error of the statement, so nothing that it wrote is kept.
   */
  statement<Result>(
    parts: StatementParts,
    answer: (row: Row & Caller & Result) => Answer,
  ): Promise<Answer>;
  /** One transaction whose first statement checks the credential and loads and locks the object. Its answer is stored with it. */
  transaction(work: (tx: Tx, authorized: Row & Caller) => Promise<Answer>): Promise<Answer>;
  /** The access row alone. */
  load(): Promise<Row & Caller>;
  /** A transaction of its own for a caller whom `load` let in: when an answer takes more than one. */
  begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

type ValueOf<Schema> = Schema extends TObject ? Static<Schema> : Record<string, never>;

/** A successful answer: its schema, and a real example. Without a schema it has no JSON body. */
export interface DeclaredAnswer {
  description: string;
  schema?: TSchema;
  example?: unknown;
  /** What it holds instead of JSON: `text/event-stream`, or `application/octet-stream` for a file. */
  mediaType?: string;
  headers?: string[];
}

/** One operation: everything the pipeline, the document and the tests need to know of it. */
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
  access: Access<Input<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>>, Row>;
  /** The right that showing a stored answer again takes, where success ends the right to ask (ruling 1.11). */
  replayAccess?: Access<Input<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>>, unknown>;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Bytes of a JSON body; 64 KiB without it. */
  bodyLimit?: number;
  /** The body is a file of at most so many bytes, instead of JSON. */
  upload?: { maxBytes: number };
  /** A good request: the document shows it, and the tests of all routes send it. Path parameters come by their names. */
  sample?: (example: Examples) => {
    query?: Record<string, string>;
    body?: Record<string, unknown>;
  };
  /** Successful answers by status. */
  responses: Record<number, DeclaredAnswer>;
  /** Every error of its own; those that every route has (401, 422, 429, ...) are added by `declaredErrors`. */
  errors: readonly (ApiErrorKind | FieldErrorKind)[];
  /** Request headers it understands beyond the common ones. */
  headers?: Record<string, string>;
  /** Denied attempts are recorded too (ruling 1.17): as this action, on the object of this path parameter or the caller. */
  auditDenied?: { action: string; target?: string };
  /** A stricter limit of its own beside the user's (ruling 1.12). */
  limit?: 'addFunds';
  handle(context: Context<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>, Row>): Promise<Answer>;
}

type PathId = keyof typeof PATH_IDS;

/** The parameters of a path that identifies its object by UUIDs. */
export const ids = <const Names extends PathId[]>(
  ...names: Names
): TObject<Record<Names[number], TString>> =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, uuid({ description: PATH_IDS[name] })])),
  ) as never;

/** Declares an operation. `access` is required: there is no way to the database without it. */
export function route<
  Row,
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
>(definition: Route<Params, Query, Body, Row>): Route {
  return definition as unknown as Route;
}
