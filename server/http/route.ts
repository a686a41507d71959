import type { Readable } from 'node:stream';
import Type, { type Static, type TArray, type TObject, type TSchema, type TString } from 'typebox';
import type { Snapshot, Tx } from '../db/database/database.ts';
import type { Sql } from '../db/sql.ts';
import type { Credential, SessionKind } from './authenticate.ts';
import type { StatementParts } from './authorize.ts';
import type { Caller } from './caller.ts';
import type { ApiErrorKind, FieldErrorKind } from './errors.ts';
import type { EventSource } from './event-stream.ts';
import { type Examples, PATH_IDS } from './examples.ts';
import { uuid } from './input/fields.ts';

/**
 * The spec's twelve areas, which are the tags of the document; that of operators; and that of the
 * routes of browsers.
 */
type Area =
  | 'Account'
  | 'Projects'
  | 'Tasks'
  | 'Plans & Artifacts'
  | 'Pull Requests & Deploys'
  | 'Odoo Connections'
  | 'Workspaces'
  | 'Members & Invitations'
  | 'GitHub'
  | 'Billing'
  | 'Workspace Billing'
  | 'Usage'
  | 'Operation'
  | 'Sign-in';

/** The validated parts of a request. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
}

/**
 * Who may do something to an object, as SQL: common table expressions that follow `caller`
 * (user_id, key_id, session_id, two_factor; no row when the credential opens nothing) and end in
 * `access`: no row when the object does not exist, otherwise one row with `found` (true),
 * `denied_because` (null for a caller who may), `organization_id` (null outside a workspace; a key
 * of one workspace opens no other) and the columns of `Row`. `lock` asks for the object's row to be
 * locked first (ruling 5.6).
 */
export interface Access<From extends Partial<Input>, Row> {
  sql(input: From, lock: boolean): Sql;
  /**
   * A statement that a transaction runs before `sql`, if one row is not enough to lock. The
   * permission is then checked as it is under these locks, not as it was before waiting for them.
   */
  locks?(input: From, credential: Credential): Sql;
  /**
   * The permission that the caller's role must have; if absent, anyone may act on what is their
   * own.
   */
  readonly permission?: string;
  /**
   * The same for many callers at once, for streams that stay open: a select of `number`,
   * `organization_id` and `denied_because`, where the row of `caller` also has `number` and
   * `object_id`. Streams need it. Further columns are told to the stream.
   */
  readonly many?: Sql;
  /** Never read; it carries the row's type to the operation. */
  readonly row?: Row;
}

/**
 * The answer of an operation. At most one of `body`, `file`, `events`, `download` and `later`;
 * without any of them it is empty.
 */
export interface Answer {
  status: number;
  /** An object of the declared schema, or JSON text from PostgreSQL. */
  body?: unknown;
  file?: FileAnswer;
  /**
   * A stream, about the object of this id, for as long as its caller may read it. `onRights` is told
   * what the access of many yields of the caller, each time that it is asked.
   */
  events?: {
    source: EventSource;
    objectId: string;
    onRights?: (rights: Record<string, unknown>) => void;
  };
  download?: Download;
  /**
   * The answer itself, which something is waited for; the signal says that it is time to answer, or
   * that the caller is gone.
   */
  later?: (signal: AbortSignal) => Promise<Answer>;
  headers?: Record<string, string>;
  /** The values of Set-Cookie headers. */
  cookies?: readonly string[];
}

/** Bytes to download, completely or in a range (RFC 9110, 14). */
export interface FileAnswer {
  name: string;
  mediaType: string;
  size: number;
  /** A strong entity tag without its quotes: the SHA-256 of the bytes. */
  sha256: string;
  /** The bytes from `start` to `end`, both included. */
  open(start: number, end: number): Readable;
}

/** A text to download, made while it is sent, so that its size is not known before. */
export interface Download {
  name: string;
  mediaType: string;
  /** Nothing is done before the first of them is asked for. */
  chunks: AsyncIterable<string>;
}

/** Bytes that the caller sends, as they arrive; reading throws 413 once there are too many. */
export interface Upload {
  mediaType: string;
  bytes: AsyncIterable<Buffer>;
}

/** What a handler that is shared by operations needs, whatever their path and query. */
export type BodyContext<Body> = Pick<
  Context<unknown, unknown, Body, unknown>,
  'body' | 'headers' | 'requestId' | 'statement'
>;

/**
 * What a handler gets. The database is only reachable through the access of the route: `authorized`
 * in SQL is the access row of a caller who may, and has no row otherwise; 401, 404 and 403 are
 * answered before the handler sees a row.
 */
export interface Context<Params, Query, Body, Row> extends Input<Params, Query, Body> {
  headers: Record<string, string | undefined>;
  /** The path and query as sent: for links to the next page. */
  url: string;
  requestId: string;
  /** What its client is counted by: an IPv4 address, or a /64 network of IPv6. */
  readonly network: string;
  /** The bytes of a route that takes an upload. */
  upload: Upload;
  /**
   * Runs one statement that includes credential and access: `select` reads from `authorized` and
   * returns one row. In a GET it may only read. In other methods a refusal is an error of the
   * statement, so nothing it wrote remains.
   */
  statement<Result>(
    parts: StatementParts,
    answer: (row: Row & Caller & Result) => Answer,
  ): Promise<Answer>;
  /**
   * Runs one transaction whose first statement checks the credential and loads and locks the
   * object. Its answer is stored with it.
   */
  transaction(work: (tx: Tx, authorized: Row & Caller) => Promise<Answer>): Promise<Answer>;
  /** Selects only the access row. */
  load(): Promise<Row & Caller>;
  /**
   * Counts towards a stricter limit of the caller, after `load`: for what only some requests of an
   * operation do. Errors: 429.
   */
  take(limit: 'probes'): Promise<void>;
  /**
   * Runs another transaction for a caller whom `load` has authorized, when an answer takes more
   * than one.
   */
  begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** What `work` yields while it reads one moment of the database, after `load`: for a download. */
  snapshot<Item>(work: (tx: Snapshot) => AsyncIterable<Item>): AsyncIterable<Item>;
}

/** A JSON body: an object, or the whole of a list that is replaced. */
export type BodySchema = TObject | TArray<TObject>;

type ValueOf<Schema> = Schema extends BodySchema ? Static<Schema> : Record<string, never>;

/** A successful answer: its schema and a real example. Without a schema it has no JSON body. */
export interface DeclaredAnswer {
  description: string;
  schema?: TSchema;
  example?: unknown;
  /**
   * The media type if it is not a JSON body: `text/event-stream`, the wildcard for a file, whose
   * bytes tell it, or those that a download may have. Beside a schema: what it may be instead of
   * JSON.
   */
  mediaType?: string | readonly string[];
  headers?: string[];
}

/** A request header, as the document describes it; the handler checks what is said here. */
export interface RequestHeader {
  description: string;
  required?: boolean;
  pattern?: string;
}

/**
 * One operation: everything that the pipeline, the document and the tests need to know about it.
 */
export interface Route<
  Params extends TObject | undefined = TObject | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Body extends BodySchema | undefined = BodySchema | undefined,
  Row = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for a parameter, as in the document. */
  path: string;
  area: Area;
  operationId: string;
  /** Whether its success may leave something to do for a worker, which is told at once. */
  wakes?: true;
  summary: string;
  description: string;
  access: Access<Input<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>>, Row>;
  /**
   * The permission required to repeat a stored answer, if success removes the permission to make
   * the request (ruling 1.11).
   */
  replayAccess?: Access<Input<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>>, unknown>;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The largest JSON body in bytes; 64 KiB by default. */
  bodyLimit?: number;
  /** If set, the body is a file of at most this many bytes instead of JSON. */
  upload?: { maxBytes: number };
  /**
   * A valid request: the document shows it, and the tests of all routes send it. Path parameters
   * are filled in by name.
   */
  sample?: (example: Examples) => {
    query?: Record<string, string>;
    body?: Record<string, unknown> | readonly Record<string, unknown>[];
    headers?: Record<string, string>;
  };
  /** Successful answers by status. */
  responses: Record<number, DeclaredAnswer>;
  /**
   * The operation's own errors; `declaredErrors` adds those that every route has (401, 422, 429,
   * ...).
   */
  errors: readonly (ApiErrorKind | FieldErrorKind)[];
  /** Request headers it understands beyond the common ones; a sentence is an optional one. */
  headers?: Record<string, string | RequestHeader>;
  /**
   * If set, denied attempts are recorded too (ruling 1.17): as this action, on the object of this
   * path parameter or on the caller.
   */
  auditDenied?: { action: string; target?: string; forOperators?: true };
  /**
   * Adds to the text of an answer what no table may contain, such as a link that carries a token.
   * An answer that is stored under its Idempotency-Key lacks it; a replay adds it again.
   */
  completeAnswer?: (text: string) => string;
  /**
   * Fields of the answer that open something for a while. An answer that is stored under its
   * Idempotency-Key loses them after ten minutes; a replay goes on without them.
   */
  brief?: readonly string[];
  /** A stricter limit in addition to the user's (ruling 1.12), which every request counts towards. */
  limit?: 'addFunds' | 'invitations' | 'uploads' | 'secondFactor';
  /**
   * If set, only a browser's session of this kind opens it. Its requests have no Idempotency-Key,
   * because its answers may hold what is shown only once.
   */
  credential?: SessionKind;
  /** If set, a session needs a recent proof to call it; an API key does not. */
  proof?: true;
  handle(context: Context<ValueOf<Params>, ValueOf<Query>, ValueOf<Body>, Row>): Promise<Answer>;
}

type PathId = keyof typeof PATH_IDS;

/** The path parameters that identify an object by UUIDs. */
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
  Body extends BodySchema | undefined = undefined,
>(definition: Route<Params, Query, Body, Row>): Route {
  return definition as unknown as Route;
}
