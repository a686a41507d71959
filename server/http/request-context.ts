import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Snapshot, Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { authenticate, type Credential, demandsOf, readCredential } from './authenticate.ts';
import {
  callerOf,
  compose,
  denialOf,
  requireRight,
  type StatementKind,
  type StatementParts,
  type Verdict,
} from './authorize.ts';
import type { Caller } from './caller.ts';
import { idempotencyInProgress, sessionRequired } from './errors.ts';
import type { Viewer } from './event-stream.ts';
import { type Claim, type SentAnswer, settle } from './idempotency.ts';
import type { Sent } from './input/validation.ts';
import type { PipelineDeps } from './pipeline-deps.ts';
import type { LimitName } from './rate-limit.ts';
import type { Answer, Context, Input, Route, Upload } from './route.ts';
import { networkOf } from './server/client-network.ts';
import type { Permit } from './still-allowed.ts';

/** What a request needs to know of its route. */
type RouteOf = Pick<
  Route,
  'method' | 'access' | 'replayAccess' | 'limit' | 'credential' | 'proof' | 'brief'
> &
  Partial<Pick<Route, 'responses'>>;

type Values = Record<string, unknown>;
type Row = Values;

/** One request on its way through the pipeline; `Context` is what an operation sees of it. */
export class RequestContext implements Context<Values, Values, Values, Row> {
  params: Values = {};
  query: Values = {};
  body: Values = {};
  /** The same values before they were read. */
  sent!: Sent;
  /** Set for a route that takes an upload. */
  upload!: Upload;
  readonly headers: Record<string, string | undefined>;
  readonly url: string;
  readonly requestId: string;
  /** RateLimit headers of the answer. */
  readonly limitHeaders: Record<string, string> = {};
  caller: Caller | undefined;
  claim: Claim | undefined;
  /** The answer as it will be sent, once it has been committed with the change that it reports. */
  stored: SentAnswer | undefined;
  /**
   * The database accepted this credential before; the statement tells whether it is still valid.
   */
  known = false;
  /** Bytes of events that were written. */
  streamed = 0;

  readonly #deps: PipelineDeps;
  readonly #route: RouteOf;
  readonly #credential: Credential;
  readonly #reply: FastifyReply;
  #limited = false;

  constructor(deps: PipelineDeps, route: RouteOf, request: FastifyRequest, reply: FastifyReply) {
    this.#deps = deps;
    this.#route = route;
    this.#reply = reply;
    this.headers = request.headers as Record<string, string | undefined>;
    this.url = request.url;
    this.requestId = request.id;
    this.#credential = readCredential(request.method, request.headers, deps);
  }

  /**
   * Takes from the limit of the user who last used this credential, before the database is queried.
   * Errors: 401, 429.
   */
  async takeKnownLimit(): Promise<void> {
    const userId = this.#deps.knownUsers.get(this.#credential);
    if (userId === undefined) return;
    this.known = true;
    try {
      await this.#takeLimits(userId);
    } catch (error) {
      await this.authenticate();
      throw error;
    }
  }

  get network(): string {
    return networkOf(this.#reply.request.ip);
  }

  /** Errors: 401, 429; 403 session_required for the key of a route that only a session opens. */
  async requireKind(): Promise<void> {
    if (this.#route.credential === undefined || this.#credential.kind === 'session') return;
    await this.authenticate();
    throw sessionRequired();
  }

  /** Checks the credential alone, once. Errors: 401, 429. */
  async authenticate(): Promise<Caller> {
    if (this.caller === undefined) {
      const demands = demandsOf(this.#route);
      const caller = await authenticate(this.#deps.db, this.#credential, demands);
      this.#accept(caller);
      await this.#takeLimits(caller.userId);
    }
    return this.caller as unknown as Caller;
  }

  load = async () => {
    await this.#limitFirst();
    return this.authorizeNow();
  };

  /** By the rights and the rows of this moment. Errors: 401, 403, 404. */
  authorizeNow = async () =>
    this.#authorize(await this.#deps.db.read<Verdict & Row>(this.#accessAlone(false)));

  begin = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    if (this.caller === undefined) throw new Error('begin() comes after load()');
    return this.#deps.db.transaction(work);
  };

  take = async (limit: 'probes'): Promise<void> => {
    if (this.caller === undefined) throw new Error('take() comes after load()');
    await this.#deps.limits.take(limit, this.caller.userId, this.limitHeaders);
  };

  snapshot = <Item>(work: (tx: Snapshot) => AsyncIterable<Item>): AsyncIterable<Item> => {
    if (this.caller === undefined) throw new Error('snapshot() comes after load()');
    return this.#deps.db.snapshot(work);
  };

  statement = async <Result>(
    parts: StatementParts,
    answer: (row: Row & Caller & Result) => Answer,
  ): Promise<Answer> => {
    if (this.#route.method === 'GET') {
      const query = this.#compose(parts, 'read', false);
      const { db } = this.#deps;
      const rows = await (streams(this.#route)
        ? db.read<Verdict & Row>(query)
        : db.readFromReplica<Verdict & Row>(query));
      const { userId } = this.#identify(rows[0]);
      await this.#takeLimits(userId);
      return answer(this.#authorize(rows) as Row & Caller & Result);
    }
    await this.#limitFirst();
    const query = this.#compose(parts, 'write', false);
    if (this.claim === undefined) {
      const rows = await this.#write(this.#deps.db.write<Verdict & Row>(query));
      return answer(this.#authorize(rows) as Row & Caller & Result);
    }
    return this.#deps.db.transaction(async (tx) => {
      const row = this.#authorize(await this.#write(tx.many<Verdict & Row>(query)));
      return this.#store(tx, answer(row as Row & Caller & Result));
    });
  };

  transaction = async (
    work: (tx: Tx, authorized: Row & Caller) => Promise<Answer>,
  ): Promise<Answer> => {
    await this.#limitFirst();
    return this.#deps.db.transaction(async (tx) => {
      const { locks } = this.#route.access;
      if (locks !== undefined) await tx.many(locks(this.#input(), this.#credential));
      const rows = await tx.many<Verdict & Row>(this.#accessAlone(locks === undefined));
      return this.#store(tx, await work(tx, this.#authorize(rows)));
    });
  };

  /**
   * Whether the stored answer to this request may be sent again, by the caller's current
   * permissions (ruling 1.11). If the object no longer exists, having made the request is enough.
   * Errors: 401, 403.
   */
  async requireRightToReplay(): Promise<void> {
    const access = this.#route.replayAccess ?? this.#route.access;
    const parts = { select: sql`select` };
    const query = compose(this.#credential, access.sql(this.#input(), false), parts, 'read', true);
    const [row] = await this.#deps.db.read<Verdict>(query);
    this.#identify(row);
    // A deletion leaves its receipt to its caller; of anything else that is gone there is nothing
    // to show.
    if (row?.$found === true || this.#route.method !== 'DELETE') requireRight(row as Verdict);
  }

  /** Whose stream about an object this is, and how it is checked again while it is open. */
  viewer({ objectId, onRights }: Required<Answer>['events']): Viewer<Permit> {
    if (this.caller === undefined) throw new Error('a stream comes after load()');
    const { access } = this.#route;
    return {
      userId: this.caller.userId,
      permit: { credential: this.#credential, access, objectId, onRights },
    };
  }

  /** The answer as text, serialized by the schema that the route declares for its status. */
  serialize({ status, body, headers = {} }: Answer): SentAnswer {
    if (body === undefined) return { status, headers, body: '' };
    const text = typeof body === 'string' ? body : String(this.#reply.code(status).serialize(body));
    return { status, headers, body: text, ...withoutFields(text, this.#route.brief) };
  }

  async #store(tx: Tx, answer: Answer): Promise<Answer> {
    if (this.claim !== undefined) {
      const sent = this.serialize(answer);
      if (!(await settle(tx, this.claim, sent))) throw idempotencyInProgress();
      this.stored = sent;
    }
    return answer;
  }

  // A change must not be made and then refused by the rate limit, so the limit comes first. A read
  // may exceed it late.
  async #limitFirst(): Promise<void> {
    if (!this.#limited) await this.authenticate();
  }

  // The route's schemas produced these values, so they have the types that its access rule takes.
  #input(): never {
    const input: Input = { params: this.params, query: this.query, body: this.body };
    return input as never;
  }

  #compose(parts: StatementParts, kind: StatementKind, lock: boolean): Sql {
    const access = this.#route.access.sql(this.#input(), lock);
    const demands = demandsOf(this.#route);
    return compose(this.#credential, access, parts, kind, this.#route.method !== 'GET', demands);
  }

  #accessAlone(lock: boolean): Sql {
    return this.#compose({ select: sql`select` }, 'read', lock);
  }

  // The database refused a change. The log and the audit trail need its caller, so the credential
  // is checked once more.
  async #write<Rows>(written: Promise<Rows>): Promise<Rows> {
    try {
      return await written;
    } catch (error) {
      const denial = denialOf(error, this.#credential);
      if (denial === undefined) throw error;
      await this.authenticate();
      throw denial;
    }
  }

  #identify(row: Verdict | undefined): Caller {
    if (row === undefined) throw new Error('one row expected, none returned');
    const caller = callerOf(row, this.#credential);
    if (this.caller === undefined) this.#accept(caller);
    return caller;
  }

  /** Tells 401, 404 and 403 apart, in this order. */
  #authorize(rows: (Verdict & Row)[]): Row & Caller {
    if (rows.length > 1) throw new Error(`one row expected, ${rows.length} returned`);
    const caller = this.#identify(rows[0]);
    const row = rows[0] as Verdict & Row;
    requireRight(row);
    return Object.assign(row, caller);
  }

  #accept(caller: Caller): void {
    this.caller = caller;
    this.#deps.knownUsers.set(this.#credential, caller.userId);
    this.#deps.credentialUsed(caller);
  }

  async #takeLimits(userId: string): Promise<void> {
    if (this.#limited) return;
    this.#limited = true;
    const { limit } = this.#route;
    const take = (name: LimitName) => this.#deps.limits.take(name, userId, this.limitHeaders);
    await (limit === undefined ? take('user') : Promise.all([take('user'), take(limit)]));
  }
}

/** As `lasting`, a JSON object without some fields; nothing where it has none of them. */
function withoutFields(text: string, fields: readonly string[] = []): { lasting?: string } {
  if (!fields.some((field) => text.includes(`"${field}":`))) return {};
  const entries = Object.entries(JSON.parse(text)).filter(([name]) => !fields.includes(name));
  return { lasting: JSON.stringify(Object.fromEntries(entries)) };
}

/** A replica does not know which transactions are at work, whose changes a stream may not miss. */
const streams = ({ responses }: RouteOf): boolean =>
  responses?.[200]?.mediaType === 'text/event-stream';
