import assert from 'node:assert/strict';
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

const say = (text = '') => process.stdout.write(`${text}\n`);

/**
 * Sends requests to a server, prints each with its actual answer, and throws if an answer is not
 * the expected one.
 */
export class DemoClient {
  readonly #url: string;
  #step = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async send({ title, as, method, path, body, promised }: Request): Promise<{ id: string }> {
    this.#step += 1;
    say(`\n${this.#step}. ${title}`);
    say(`   ${as.name}: ${method} ${path}${body === undefined ? '' : `  ${JSON.stringify(body)}`}`);
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${as.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { id: string; length?: number };
    say(`   → ${response.status} ${pretty(answer)}`);
    assert.equal(response.status, promised.status, `${title}: unexpected status`);
    const differs = `${title}: expected ${JSON.stringify(promised.body)}`;
    if (promised.body !== undefined) assert.partialDeepStrictEqual(answer, promised.body, differs);
    if (Array.isArray(promised.body)) assert.equal(answer.length, promised.body.length, differs);
    return answer;
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
