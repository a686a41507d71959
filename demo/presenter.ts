import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Call, type Client, createClient, GuildhallError } from '../client/src/index.ts';
import { usdText } from '../server/billing/ledger/money.ts';
import type { Database } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';

/** A person of the demo, and the key that is used for them. */
export interface Person {
  name: string;
  key: string;
}

/** What a person does, and the expected answer; `body` needs to contain only what is checked. */
interface Step<Data> {
  title: string;
  as: Person;
  call: (guildhall: Client) => Call<Data>;
  promised: { status: number; body?: object };
}

/** What to read again and again, and the fields that end it; also those of a refusal. */
interface Poll<Data> extends Omit<Step<Data>, 'promised'> {
  until: object;
  /** A field whose values are printed as they come. */
  progress?: string;
}

/** Which task to watch, and what ends it; `after` is the last event seen before. */
interface Watch {
  title: string;
  as: Person;
  taskId: string;
  after?: number;
  /** The last event: fields of its payload beside its type. */
  until: EventFields;
  /** Events that must come before it, likewise. */
  among?: EventFields[];
}

type EventFields = { type: string; [field: string]: unknown };

/** What a turn may take on a slow machine. */
const PATIENCE_MS = 120_000;

const say = (text = '') => process.stdout.write(`${text}\n`);

/** Prints who sends a request, and what. */
function printRequest(
  { name }: Person,
  input: string | URL | Request,
  init: RequestInit = {},
): void {
  const { pathname, search } = new URL(String(input));
  const body = init.body === undefined ? '' : `  ${init.body}`;
  say(`   ${name}: ${init.method} ${pathname}${search}${body}`);
}

/**
 * Prints what people do with a server, each step with its actual answer. Throws if an answer is not
 * the expected one.
 */
export class Presenter {
  readonly url: string;
  #step = 0;

  constructor(url: string) {
    this.url = url;
  }

  /** Prints the title of the next step. */
  begin(title: string): void {
    this.#step += 1;
    say(`\n${this.#step}. ${title}`);
  }

  /** Prints lines below it. */
  show(...lines: string[]): void {
    for (const line of lines) say(`   ${line}`.trimEnd());
  }

  /** The client of a person, which prints its first `times` requests. */
  #client(person: Person, times = Number.POSITIVE_INFINITY): Client {
    let left = times;
    return createClient({
      baseUrl: this.url,
      key: person.key,
      fetch: (input, init) => {
        if (left-- > 0) printRequest(person, input, init);
        return fetch(input, init);
      },
    });
  }

  /** Makes a call and returns the data. */
  async send<Data>({ title, as, call, promised }: Step<Data>): Promise<Data> {
    this.begin(title);
    const began = performance.now();
    const answer = await outcome(call(this.#client(as)));
    const ms = Math.round(performance.now() - began);
    say(`   → ${answer.status} (${ms} ms) ${pretty(answer.data)}`);
    assert.equal(answer.status, promised.status, `${title}: unexpected status`);
    const { body } = promised;
    const differs = `${title}: expected ${JSON.stringify(body)}`;
    if (body !== undefined) assert.partialDeepStrictEqual(answer.data, body, differs);
    if (Array.isArray(body)) assert.equal((answer.data as unknown[]).length, body.length, differs);
    return answer.data as Data;
  }

  /** Reads something until it has these fields, and prints it as it is then. */
  async poll<Data>({ title, as, call, until, progress }: Poll<Data>): Promise<void> {
    this.begin(title);
    const guildhall = this.#client(as, 1);
    const began = performance.now();
    const seconds = () => `${((performance.now() - began) / 1_000).toFixed(2)} s`;
    let shown: unknown;
    while (performance.now() - began < PATIENCE_MS) {
      const { data, status } = await outcome(call(guildhall));
      if (isDeepStrictEqual({ ...(data as object), ...until }, data)) {
        say(`   → ${status} (after ${seconds()}) ${pretty(data)}`);
        return;
      }
      const value = progress && (data as Record<string, unknown>)[progress];
      if (value !== shown) say(`   ${seconds().padStart(8)}  ${value}`);
      shown = value;
      await setTimeout(100);
    }
    throw new Error(`${title}: not within ${PATIENCE_MS / 1_000} s`);
  }

  /** Prints the events of a task until the one that ends it. Returns its number. */
  async watch({ title, as, taskId: task_id, after = 0, until, among = [] }: Watch) {
    this.begin(title);
    const began = performance.now();
    let missing = among;
    const events = this.#client(as).stream(
      '/api/tasks/{task_id}/events',
      { task_id, after },
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    );
    for await (const { seq, type, payload } of events) {
      const seconds = ((performance.now() - began) / 1_000).toFixed(2);
      say(`   ${seconds.padStart(6)} s  ${type}  ${JSON.stringify(payload)}`);
      const event = { ...(payload as { status?: string }), type };
      assert.notEqual(event.status, 'failed', `${title}: the agent failed`);
      const is = (fields: EventFields) => isDeepStrictEqual({ ...event, ...fields }, event);
      missing = missing.filter((fields) => !is(fields));
      if (!is(until)) continue;
      assert.deepEqual(missing, [], `${title}: events are missing`);
      return seq;
    }
    throw new Error(`${title}: the stream ended before ${JSON.stringify(until)}`);
  }
}

/** The status and the body of an answer; a refusal is one, too. */
async function outcome(call: Call<unknown>): Promise<{ status: number; data: unknown }> {
  try {
    return await call.withResponse();
  } catch (error) {
    if (!GuildhallError.is(error)) throw error;
    return { status: error.status, data: error.body };
  }
}

/** Balances from the database in USD, by the name of their owner. */
async function balances(db: Database, names: string[]): Promise<Record<string, string>> {
  const rows = await db.many<{ name: string; balance: bigint }>(sql`
    select coalesce(u.name, o.name) as name, a.balance
      from billing_account a left join app_user u on u.id = a.user_id
      left join organization o on o.id = a.organization_id
     where coalesce(u.name, o.name) = any(${names}::text[])`);
  const found = new Map(rows.map(({ name, balance }) => [name, usdText(balance)]));
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? 'no account']));
}

/** Prints balances and checks that they are the expected ones. */
export async function showBalances(
  db: Database,
  when: string,
  promised: Record<string, string>,
): Promise<void> {
  const found = await balances(db, Object.keys(promised));
  const shown = Object.entries(found).map(([name, balance]) => `${name} ${balance}`);
  say(`   balances ${when}: ${shown.join(', ')}`);
  assert.deepEqual(found, promised, `balances ${when}`);
}

/** JSON for reading: one item of a list per line, everything else on one line. */
function pretty(answer: unknown): string {
  if (!Array.isArray(answer)) return JSON.stringify(answer);
  return `[\n${answer.map((item) => `       ${JSON.stringify(item)}`).join(',\n')}\n     ]`;
}
