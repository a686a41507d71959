import { randomUUID } from 'node:crypto';
import { storedMode } from '../../server/billing/mode/enter-mode.ts';
import { sameMailbox } from '../../server/db/addresses.ts';
import {
  type Database,
  sqlState,
  type Tx,
  violatedConstraint,
} from '../../server/db/database/database.ts';
import { sql } from '../../server/db/sql.ts';
import { recordFromCli } from '../record.ts';
import { readWorld } from './check.ts';
import { type Fault, WorldError } from './faults.ts';
import { INSERT } from './insert.ts';
import { layOut, type Rows, TABLES, type WorldIds } from './rows.ts';
import type { World } from './schema.ts';

export type { WorldIds } from './rows.ts';

/** Rows per statement: few enough to show progress. */
const BATCH = 5_000;

// Foreign keys are checked with plans that were made while the tables were nearly empty. Without
// sequential scans in those plans, they do not scan the full table for every row later.
const byIndex = sql`select set_config('enable_seqscan', 'off', true)`;

/** An import may take longer than a request. */
const WITHOUT_TIME_LIMIT = { statementTimeout: 0 };

/** An advisory lock that nothing else takes: "guildwld" in ASCII. */
const FIRST_WORLD = 0x6775_696c_6477_6c64n;

/** Called after each batch with the number of rows written and their total. */
type OnProgress = (done: number, total: number) => void;

/** How an import is done. */
interface ImportOptions {
  onProgress?: OnProgress;
  /**
   * What to do with addresses that the database has: `refuse` the file, or `match` them with the
   * users who are there, who stay as they are.
   */
  existingUsers?: 'refuse' | 'match';
  /**
   * `grantBalances`: real money is meant. `ofSettings`: whether balances are real money in a
   * database that no server has used yet.
   */
  balances?: { grantBalances: boolean; ofSettings: boolean };
}

/**
 * Loads a world, parsed from JSON, in one transaction: all or nothing. Returns the new ids, and the
 * keys, only this once. Throws a WorldError with every fault of the file, including addresses and
 * keys that already exist in the database.
 */
export async function importWorld(
  db: Database,
  world: unknown,
  options: ImportOptions = {},
): Promise<WorldIds> {
  const valid = readWorld(world);
  return db.transaction((tx) => load(tx, valid, options), WITHOUT_TIME_LIMIT).catch(explain);
}

/**
 * Loads a world into a database that has no users yet; undefined when it has some. Of several
 * processes that do this at once, one loads it, and the others wait for that. Errors: as above.
 */
export async function importFirstWorld(
  db: Database,
  world: unknown,
): Promise<WorldIds | undefined> {
  const valid = readWorld(world);
  return db
    .transaction(async (tx) => {
      await tx.many(sql`select set_config('lock_timeout', '0', true)`);
      await tx.many(sql`select pg_advisory_xact_lock(${FIRST_WORLD})`);
      const { empty } = await tx.one<{ empty: boolean }>(sql`
        select not exists (select from app_user) as empty`);
      return empty ? load(tx, valid, {}) : undefined;
    }, WITHOUT_TIME_LIMIT)
    .catch(explain);
}

async function load(
  tx: Tx,
  world: World,
  { onProgress = () => {}, existingUsers = 'refuse', balances }: ImportOptions,
): Promise<WorldIds> {
  await tx.many(byIndex);
  const { ids, rows } = layOut(world, await existing(tx, world, existingUsers));
  const stored = await storedMode(tx);
  const real = stored === undefined ? balances?.ofSettings : !stored.testMoney;
  if (real && rows.balance.length > 0 && !balances?.grantBalances)
    throw new WorldError([{ pointer: '', message: BALANCES_ARE_MONEY }]);
  const importId = randomUUID();
  await insertAll(tx, rows, importId, onProgress);
  const { version: _, ...lists } = world;
  const after = Object.fromEntries(
    Object.entries(lists).map(([list, items]) => [list, items.length]),
  );
  await recordFromCli(tx, { id: importId, action: 'world.import', target: 'world', after });
  return ids;
}

const BALANCES_ARE_MONEY =
  'balances are real money in this installation: grant those of the file with --grant-balances, or ' +
  'leave them out';

async function insertAll(
  tx: Tx,
  rows: Rows,
  importId: string,
  onProgress: OnProgress,
): Promise<void> {
  const total = Object.values(rows).reduce((sum, { length }) => sum + length, 0);
  let done = 0;
  for (const table of TABLES) {
    for (let start = 0; start < rows[table].length; start += BATCH) {
      const batch = rows[table].slice(start, start + BATCH);
      await tx.many(INSERT[table](JSON.stringify(batch), importId));
      done += batch.length;
      onProgress(done, total);
    }
  }
}

/** The ids of the users of the file who are in the database, by handle. Throws a WorldError. */
async function existing(
  tx: Tx,
  { users, organizations }: World,
  mode: 'refuse' | 'match',
): Promise<Map<string, string>> {
  const found = await tx.many<{
    index: number;
    id: string;
    is_active: boolean;
    two_factor: boolean;
  }>(
    sql`
    select (wanted.index - 1)::int as index, u.id, u.is_active, u.two_factor
      from unnest(${users.map(({ email }) => email)}::text[]) with ordinality wanted(email, index)
      join app_user u on ${sameMailbox(sql`u.email`, sql`wanted.email`)} order by wanted.index`,
  );
  const faults: Fault[] = [];
  const byHandle = new Map<string, (typeof found)[number]>();
  for (const row of found) {
    const { handle, email, keys, cards, balance } = users[row.index] as World['users'][number];
    byHandle.set(handle, row);
    const pointer = `/users/${row.index}`;
    if (mode === 'refuse')
      faults.push({
        pointer: `${pointer}/email`,
        message: `${email} already exists in the database`,
      });
    else if (keys.length > 0 || cards.length > 0 || balance > 0n)
      faults.push({
        pointer,
        message: `${email} already exists in the database: leave out keys, cards and balance`,
      });
  }
  // Who may own a workspace is checked by the file for new users (ruling 5.3), and here for others.
  if (mode === 'match')
    organizations.forEach(({ owner, require_2fa }, index) => {
      const row = byHandle.get(owner);
      if (row === undefined || (row.is_active && (row.two_factor || !require_2fa))) return;
      const reason = row.is_active ? 'has no two-factor authentication' : 'is deactivated';
      const message = `this user ${reason} in the database: give the workspace another owner`;
      faults.push({ pointer: `/organizations/${index}/owner`, message });
    });
  if (faults.length > 0) throw new WorldError(faults);
  return new Map([...byHandle].map(([handle, { id }]) => [handle, id]));
}

// Faults that only the database can detect: rows that existed before or were added during the
// import.
function explain(error: unknown): never {
  if (sqlState(error) !== '23505') throw error;
  const constraint = violatedConstraint(error);
  const known: Record<string, Fault> = {
    api_key_secret_hash_key: {
      pointer: '/users',
      message: 'one of these keys already exists in the database',
    },
    app_user_mailbox: {
      pointer: '/users',
      message: 'one of these addresses already exists in the database',
    },
    team_name_taken: {
      pointer: '/organizations',
      message: 'two teams of a workspace have the same name',
    },
    invitation_open_mailbox: {
      pointer: '/organizations',
      message: 'two pending invitations have the same address',
    },
  };
  const message = `the database refused the import: ${(error as Error).message}`;
  throw new WorldError([known[constraint] ?? { pointer: '', message }]);
}
