import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { usdText } from '../api/billing/ledger/money.ts';
import type { Database } from '../api/db/database/database.ts';
import { sql } from '../api/db/sql.ts';

/**
 * A request of the demo and its expected answer; `body` needs to contain only the fields to check.
 */
export interface Request {
  title: string;
  /** Whose key is used. */
  as: { name: string; key: string };
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  promised: { status: number; body?: object };
}

/** Where to watch, and what ends it; `after` is the last event seen before. */
interface Watch {
  title: string;
  as: Request['as'];
  path: string;
  after?: number;
  /** The last event: fields of its payload beside its type. */
  until: { type: string; [field: string]: string };
}

/** What to read again and again, and the fields that end it. */
interface Poll extends Omit<Watch, 'until' | 'after'> {
  until: object;
}

interface TaskEvent {
  seq: number;
  type: string;
  payload: Record<string, unknown>;
}

/** What a turn may take on a slow machine. */
const PATIENCE_MS = 120_000;

const say = (text = '') => process.stdout.write(`${text}\n`);

/**
 * Sends requests to a server, prints each with its actual answer, and throws if an answer is not
 * the expected one.
 */
export class DemoClient {
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

  async send<Answer = { id: string }>(request: Request): Promise<Answer> {
    const { title, as, method, path, body, promised } = request;
    this.begin(title);
    const began = performance.now();
    say(`   ${as.name}: ${method} ${path}${body === undefined ? '' : `  ${JSON.stringify(body)}`}`);
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${as.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    const ms = Math.round(performance.now() - began);
    say(`   → ${response.status} (${ms} ms) ${pretty(answer)}`);
    assert.equal(response.status, promised.status, `${title}: unexpected status`);
    const differs = `${title}: expected ${JSON.stringify(promised.body)}`;
    if (promised.body !== undefined) assert.partialDeepStrictEqual(answer, promised.body, differs);
    if (Array.isArray(promised.body))
      assert.equal((answer as unknown[]).length, promised.body.length, differs);
    return answer;
  }

  /** Reads something until it has these fields, and prints it as it is then. */
  async poll({ title, as, path, until }: Poll): Promise<void> {
    this.begin(title);
    say(`   ${as.name}: GET ${path}`);
    const began = performance.now();
    while (performance.now() - began < PATIENCE_MS) {
      const response = await fetch(this.url + path, {
        headers: { authorization: `Bearer ${as.key}` },
      });
      const answer = (await response.json()) as object;
      if (isDeepStrictEqual({ ...answer, ...until }, answer)) {
        const seconds = ((performance.now() - began) / 1_000).toFixed(2);
        say(`   → ${response.status} (after ${seconds} s) ${pretty(answer)}`);
        return;
      }
      await setTimeout(100);
    }
    throw new Error(`${title}: not within ${PATIENCE_MS / 1_000} s`);
  }

  /** Prints the events of a task until the one that ends it. Returns its number. */
  async watch({ title, as, path, after = 0, until }: Watch): Promise<number> {
    this.begin(title);
    say(`   ${as.name}: GET ${path}`);
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${as.key}`,
      accept: 'text/event-stream',
      ...(after > 0 ? { 'last-event-id': String(after) } : {}),
    };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(this.url + path, { headers, signal });
    assert.equal(response.status, 200, `${title}: unexpected status`);
    for await (const { seq, type, payload } of eventsOf(response)) {
      const seconds = ((performance.now() - began) / 1_000).toFixed(2);
      say(`   ${seconds.padStart(6)} s  ${type}  ${JSON.stringify(payload)}`);
      assert.notEqual(payload.status, 'failed', `${title}: the agent failed`);
      const event = { ...payload, type };
      if (isDeepStrictEqual({ ...event, ...until }, event)) return seq;
    }
    throw new Error(`${title}: the stream ended before ${JSON.stringify(until)}`);
  }
}

/** The data of the frames of an event stream. */
async function* eventsOf(response: Response): AsyncGenerator<TaskEvent> {
  let rest = '';
  for await (const text of (response.body as ReadableStream).pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() as string;
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
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
