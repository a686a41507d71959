import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/**
 * A migration that changes several tables takes the locks of all of them before it begins. If it took one
 * after the other while it works, it would wait for a table while it holds another, and a request that holds
 * the former and waits for the latter would be what PostgreSQL ends as the victim of a deadlock, after a
 * second. Here only the first lock is waited for; the others must come at once, and all within less than
 * that second, or everything is let go and begun again with the table that was missing.
 */

const MODES = ['share', 'share row exclusive', 'access exclusive'] as const;
type Mode = (typeof MODES)[number];

/** For each lock after the first, in milliseconds. */
const EACH_MS = 100;
/** For all after the first: below `deadlock_timeout`, whose default is a second. */
const ALL_MS = 600;
const PAUSE_MS = 50;

/** What a statement locks, beside the rows that it writes, by how it begins. */
const STATEMENTS: [RegExp, Mode][] = [
  [/^alter table (?:if exists )?(?:only )?(\w+) (?!validate constraint \w+$)/i, 'access exclusive'],
  [/^drop table (?:if exists )?(\w+)/i, 'access exclusive'],
  [/^drop trigger (?:if exists )?\w+ on (\w+)/i, 'access exclusive'],
  [/^create (?:or replace )?(?:constraint )?trigger \w+ .*? on (\w+)/i, 'share row exclusive'],
  [/^create (?:unique )?index (?:if not exists )?(?:\w+ )?on (\w+)/i, 'share'],
  // Their rows may be those of an open transaction.
  [/^update (?:only )?(\w+)/i, 'share row exclusive'],
  [/^delete from (?:only )?(\w+)/i, 'share row exclusive'],
];
/** Bodies of functions, texts and comments, whichever begins first. */
const NO_STATEMENT = /\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|--[^\n]*/gs;
const REFERENCES = /\breferences (\w+)/gi;

/** The tables that a text locks, with the strongest mode of each. */
export function locksOf(text: string): Map<string, Mode> {
  const found = new Map<string, Mode>();
  const add = (table: string, mode: Mode) => {
    const before = found.get(table);
    if (before === undefined || MODES.indexOf(mode) > MODES.indexOf(before)) found.set(table, mode);
  };
  for (const part of text.replaceAll(NO_STATEMENT, ' ').split(';')) {
    const statement = part.trim().replaceAll(/\s+/g, ' ');
    for (const [pattern, mode] of STATEMENTS) {
      const table = pattern.exec(statement)?.[1];
      if (table !== undefined) add(table, mode);
    }
    for (const [, table = ''] of statement.matchAll(REFERENCES)) add(table, 'share row exclusive');
  }
  return found;
}

/**
 * Takes the locks of a text that needs more than one, in an open transaction. Waits at most `lockTimeout`
 * milliseconds; then it throws an Error with `name`, whose cause is PostgreSQL's.
 */
export async function takeLocks(
  client: pg.Client,
  { name, text }: { name: string; text: string },
  lockTimeout: number,
): Promise<void> {
  const locks = locksOf(text);
  const { rows } = await client.query<{ table: string }>(
    `select relname as table from pg_class
      where relname = any ($1) and relkind in ('r', 'p') and pg_table_is_visible(oid)`,
    [[...locks.keys()]],
  );
  if (rows.length < 2) return;
  const there = new Set(rows.map(({ table }) => table));
  let order = [...locks].filter(([table]) => there.has(table));
  const until = performance.now() + lockTimeout;
  for (;;) {
    await client.query('savepoint locks');
    const missing = await takeAll(client, order, until);
    if (missing === undefined) break;
    await client.query('rollback to locks');
    if (performance.now() >= until)
      throw new Error(`${name}: ${missing.error.message}`, { cause: missing.error });
    // Those who have waited behind it pass.
    await pause(PAUSE_MS * (0.5 + Math.random()));
    order = [missing.lock, ...order.filter((lock) => lock !== missing.lock)];
  }
  await client.query(`release locks; set local lock_timeout = ${lockTimeout}`);
}

type Lock = [table: string, mode: Mode];

/** Returns the lock that did not come in time. */
async function takeAll(
  client: pg.Client,
  order: readonly Lock[],
  until: number,
): Promise<{ lock: Lock; error: pg.DatabaseError } | undefined> {
  let allWithin = until;
  for (const [at, lock] of order.entries()) {
    const left = allWithin - performance.now();
    const wait = Math.max(1, Math.ceil(at === 0 ? left : Math.min(left, EACH_MS)));
    const [table, mode] = lock;
    try {
      await client.query(`set local lock_timeout = ${wait}; lock table ${table} in ${mode} mode`);
    } catch (error) {
      // 55P03 lock_not_available · 40P01 deadlock_detected
      if (error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? ''))
        return { lock, error };
      throw error;
    }
    if (at === 0) allWithin = performance.now() + ALL_MS;
  }
  return undefined;
}
