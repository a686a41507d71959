import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Tx } from '../db/database/database.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { authenticate, callerSql, type HashKey, readCredential } from './authenticate.ts';
import {
  forbidden,
  idempotencyInProgress,
  invalidApiKey,
  notFound,
  twoFactorRequired,
} from './errors.ts';
import { type Claim, type SentAnswer, settle } from './idempotency.ts';
import type { RateLimits } from './rate-limit.ts';
import type { Answer, Caller, Context, Route } from './route.ts';

/** A refused attempt, for the audit trail (ruling 1.17). */
export interface DeniedAttempt {
  caller: Caller;
  action: string;
  target: string;
  code: string;
  requestId: string;
}

/** What the door needs from the rest of the house. */
export interface PipelineDeps {
  db: Database;
  limits: RateLimits;
  hashKey: HashKey;
  /** Whose key this hash was, for a limit that is checked before the statement. Never a proof of anything. */
  knownUsers: KnownUsers;
  /** Called once for every request that was let in. */
  keyUsed(keyId: string): void;
  recordDenied(attempt: DeniedAttempt): Promise<void>;
}

type Values = Record<string, unknown>;
type Gate = {
  caller_user_id: string | null;
  caller_key_id: string;
  found: boolean | null;
  denied_because: string | null;
};
type Row = Values;

/** One authenticated request on its way through the door; what a page sees of it is `Context`. */
export class RequestContext implements Context<Values, Values, Values, Row> {
  params: Values = {};
  query: Values = {};
  body: Values = {};
  readonly headers: Record<string, string | undefined>;
  readonly url: string;
  readonly requestId: string;
  /** RateLimit headers of the answer. */
  readonly limitHeaders: Record<string, string> = {};
  caller: Caller | undefined;
  claim: Claim | undefined;
  /** The answer as it will go out, once a statement or transaction committed it. */
  sent: SentAnswer | undefined;

  /** Its key was let in before; whether it still opens anything, the statement says. */
  known = false;

  readonly #deps: PipelineDeps;
  readonly #route: Route;
  readonly #keyHash: Buffer;
  readonly #reply: FastifyReply;
  #limited = false;

  constructor(deps: PipelineDeps, route: Route, request: FastifyRequest, reply: FastifyReply) {
    this.#deps = deps;
    this.#route = route;
    this.#reply = reply;
    this.headers = request.headers as Record<string, string | undefined>;
    this.url = request.url;
    this.requestId = request.id;
    this.#keyHash = readCredential(request.headers.authorization, deps.hashKey);
  }

  /** The limit of the user this key was last seen with, before anything is asked of the database. */
  async enter(): Promise<void> {
    const userId = this.#deps.knownUsers.get(this.#keyHash);
    if (userId === undefined) return;
    this.known = true;
    try {
      await this.#takeLimits(userId);
    } catch (error) {
      await this.identify();
      throw error;
    }
  }

  /** Asks for the key alone, once. Errors: 401, 429. */
  async identify(): Promise<Caller> {
    if (this.caller === undefined) {
      this.#letIn(await authenticate(this.#deps.db, this.#keyHash));
      await this.#takeLimits((this.caller as unknown as Caller).userId);
    }
    return this.caller as unknown as Caller;
  }

  load = async () => {
    await this.#beforeWriting();
    return this.#open(
      await this.#deps.db.read<Gate & Row>(this.#compose({ select: sql`select` }, false)),
    );
  };

  begin = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    if (this.caller === undefined) throw new Error('begin() comes after load()');
    return this.#deps.db.transaction(work);
  };

  statement = async <Result>(
    parts: { with?: Sql; select: Sql },
    answer: (row: Row & Caller & Result) => Answer,
  ): Promise<Answer> => {
    const query = this.#compose(parts, false);
    if (this.#route.method === 'GET') {
      const row = this.#admit(await this.#deps.db.read<Gate & Row>(query));
      await this.#takeLimits(row.userId);
      return answer(grant(row) as Row & Caller & Result);
    }
    await this.#beforeWriting();
    if (this.claim === undefined) {
      return answer(
        this.#open(await this.#deps.db.many<Gate & Row>(query)) as Row & Caller & Result,
      );
    }
    return this.#deps.db.transaction(async (tx) => {
      const row = this.#open(await tx.many<Gate & Row>(query));
      return this.#keep(tx, answer(row as Row & Caller & Result));
    });
  };

  transaction = async (
    work: (tx: Tx, authorized: Row & Caller) => Promise<Answer>,
  ): Promise<Answer> => {
    await this.#beforeWriting();
    return this.#deps.db.transaction(async (tx) => {
      const rows = await tx.many<Gate & Row>(this.#compose({ select: sql`select` }, true));
      return this.#keep(tx, await work(tx, this.#open(rows)));
    });
  };

  /** The answer as text, through the schema the route declared for its status. */
  seal({ status, body, headers = {} }: Answer): SentAnswer {
    const text = typeof body === 'string' ? body : String(this.#reply.code(status).serialize(body));
    return { status, headers, body: text };
  }

  async #keep(tx: Tx, answer: Answer): Promise<Answer> {
    if (this.claim !== undefined) {
      const sent = this.seal(answer);
      if (!(await settle(tx, this.claim, sent))) throw idempotencyInProgress();
      this.sent = sent;
    }
    return answer;
  }

  // A change must not happen and then be refused for its rate, so the limit comes first; a read may learn it late.
  async #beforeWriting(): Promise<void> {
    if (!this.#limited) await this.identify();
  }

  #compose(parts: { with?: Sql; select: Sql }, lock: boolean): Sql {
    const rest = parts.with === undefined ? nothing : sql`, ${parts.with}`;
    return sql`with ${callerSql(this.#keyHash)}, ${this.#route.access.sql(this.params as never, lock)},
      authorized as materialized (select * from access where denied_because is null)${rest}
      select caller.user_id as caller_user_id, caller.key_id as caller_key_id, access.*, page.*
        from (values (true)) request
        left join caller on true left join access on true left join (${parts.select}) page on true`;
  }

  /** Tells 401, 404 and 403 apart, in this order. */
  #open(rows: (Gate & Row)[]): Row & Caller {
    return grant(this.#admit(rows));
  }

  #admit(rows: (Gate & Row)[]): Gate & Row & Caller {
    const row = rows[0];
    if (row === undefined || rows.length > 1)
      throw new Error(`one row expected, ${rows.length} returned`);
    if (row.caller_user_id === null) throw invalidApiKey();
    const caller = { userId: row.caller_user_id, keyId: row.caller_key_id };
    if (this.caller === undefined) this.#letIn(caller);
    return Object.assign(row, caller);
  }

  #letIn(caller: Caller): void {
    this.caller = caller;
    this.#deps.knownUsers.set(this.#keyHash, caller.userId);
    this.#deps.keyUsed(caller.keyId);
  }

  async #takeLimits(userId: string): Promise<void> {
    if (this.#limited) return;
    this.#limited = true;
    const { limit } = this.#route;
    const take = (name: 'user' | 'addFunds') =>
      this.#deps.limits.take(name, userId, this.limitHeaders);
    await (limit === undefined ? take('user') : Promise.all([take('user'), take(limit)]));
  }
}

function grant(row: Gate & Row & Caller): Row & Caller {
  if (row.found !== true) throw notFound();
  if (row.denied_because === 'two_factor_required') throw twoFactorRequired();
  if (row.denied_because !== null) throw forbidden();
  return row;
}

/** Which user a key's hash belonged to when last seen: bounded, and only ever used to count. */
export class KnownUsers {
  readonly #users = new Map<string, string>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  get(keyHash: Buffer): string | undefined {
    return this.#users.get(keyHash.toString('latin1'));
  }

  set(keyHash: Buffer, userId: string): void {
    if (this.#users.size >= this.#capacity) this.#users.clear();
    this.#users.set(keyHash.toString('latin1'), userId);
  }
}
