import pg from 'pg';
import { connectSingle, type SingleConnectionOptions } from './database/single-connection.ts';
import { isFromBefore, takeOver } from './migrate/before-first-version.ts';
import {
  listMigrations,
  type Migration,
  readMigrations,
  readViews,
  type View,
} from './migrate/files.ts';
import { HALF_RESTORED, halfRestored } from './migrate/half-restored.ts';
import { exclusively, type LockRetries, retryOnLock } from './migrate/locks.ts';
import { unknownMigration } from './migrate/newer-database.ts';
import { runOutsideTransaction, statementsOf } from './migrate/outside-transaction.ts';
import { takeLocks } from './migrate/take-locks.ts';
import { applyViews, changedViews, prepareViews } from './migrate/views.ts';

const OLDEST = 150_000;

export interface MigrateOptions extends Pick<SingleConnectionOptions, 'connectTimeout' | 'signal'> {
  /** Called with the reason when a migration waits. */
  log?: (line: string) => void;
  /** Holds `migrations/` and `views/`; this release's by default. */
  directory?: string;
  /**
   * Milliseconds that a migration waits for a lock before it lets others pass and tries again, and
   * how often.
   */
  lockTimeout?: number;
  attempts?: number;
  /** Only by a restore, which is the one to go on with a database that is half restored. */
  restoring?: boolean;
  /** The name of the last migration to apply; without the views and functions then. */
  upTo?: string | undefined;
}

/**
 * Brings a database to this version: applies what is missing of `migrations/NNNN-*.sql`, in order,
 * each in a transaction of its own (or outside of one: see migrate/outside-transaction.ts), then
 * all of `views/*.sql` that changed, in one. Any number of processes may do this at once, also
 * through a pooler (decision 4). Connects as the owner of the schema; where nothing is missing,
 * any login that may act as `guildhall_app` will do. Returns the names applied now and the last
 * migration. Throws an Error when a file fails (with file, line and PostgreSQL's message) or does
 * not get a lock, when an applied migration was changed, when the database is newer than this
 * version, or when PostgreSQL is older than 15 or the database is not UTF8. Whatever was applied before stays; of the file that
 * failed nothing does.
 */
export async function migrate(
  url: string,
  options: MigrateOptions = {},
): Promise<{ applied: string[]; current: string }> {
  const { log = () => {}, directory = import.meta.dirname, connectTimeout, signal } = options;
  const { lockTimeout = 3_000, attempts = 10, restoring = false, upTo } = options;
  const retries = { lockTimeout, attempts, log, signal };
  const connection = { applicationName: 'guildhall migrate', connectTimeout, signal };
  const all = await readMigrations(directory);
  const release = {
    migrations: upTo === undefined ? all : all.filter(({ name }) => name <= upTo),
    views: upTo === undefined ? await readViews(directory) : [],
    restoring,
  };
  for (const each of release.migrations) if (each.outsideTransaction) statementsOf(each);
  const connect = () => connectSingle(url, connection);
  const client = await connect();
  try {
    await checkVersion(client);
    const applied: string[] = [];
    for (;;) {
      const names = await applyNext(client, connect, release, retries);
      if (names.length === 0) break;
      applied.push(...names);
    }
    return { applied, current: release.migrations.at(-1)?.name ?? '' };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    await client.end();
  }
}

type Release = { migrations: Migration[]; views: View[]; restoring: boolean };

/**
 * Applies the first migration that is missing; where none is, all changed views. Returns what it
 * applied.
 */
const applyNext = (
  client: pg.Client,
  connect: () => Promise<pg.Client>,
  { migrations, views, restoring }: Release,
  retries: LockRetries,
): Promise<string[]> =>
  retryOnLock(client, retries, () =>
    exclusively(client, retries.lockTimeout, async () => {
      const mayMigrate = await prepareTable(client);
      const applied = (await readApplied(client)).filter(({ name }) => {
        if (name === HALF_RESTORED && !restoring) throw halfRestored();
        return name !== HALF_RESTORED;
      });
      const names = applied.map(({ name }) => name);
      const [first] = migrations;
      if (first !== undefined && isFromBefore(names)) {
        if (!mayMigrate) throw new Error(notTheOwner([first]));
        await takeOver(client, names, first);
        return [first.name];
      }
      const missing = compare(applied, migrations);
      if (missing.length > 0 && !mayMigrate) throw new Error(notTheOwner(missing));
      const [next] = missing;
      if (next !== undefined) {
        if (next.outsideTransaction) await runOutsideTransaction(connect, next);
        else {
          await takeLocks(client, next, retries.lockTimeout);
          await run(client, next.name, next.text);
        }
        await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [
          next.name,
          next.sha256,
        ]);
        return [next.name];
      }
      if (mayMigrate && views.length > 0) await prepareViews(client);
      const current = migrations.at(-1)?.name ?? '';
      const changed = await changedViews(client, views, current);
      if (changed.length > 0 && !mayMigrate) throw new Error(notTheOwner(changed));
      const text = changed.map((each) => each.text).join(';\n');
      await takeLocks(client, { name: changed[0]?.name ?? '', text }, retries.lockTimeout);
      await applyViews(client, changed, current, (name, text) => run(client, name, text));
      if (mayMigrate) await letServerRead(client);
      return changed.map(({ name }) => name);
    }),
  );

/**
 * The migrations, views and functions of this version that the database lacks. Throws NewerDatabase where
 * it has some that this version does not know, and an Error where it is half restored.
 */
export async function pending(
  client: Pick<pg.Client, 'query'>,
  directory: string = import.meta.dirname,
): Promise<string[]> {
  const names = await listMigrations(directory);
  const { rows } = await client.query('select name from schema_migration').catch((error) => {
    if (error.code === '42P01') return { rows: [] }; // no such table: nothing was applied
    throw error;
  });
  const applied = new Set<string>(rows.map(({ name }) => name));
  if (applied.has(HALF_RESTORED)) throw halfRestored();
  const unknown = [...applied].find((name) => !names.includes(name));
  if (unknown !== undefined && !isFromBefore([...applied])) throw unknownMigration(unknown);
  const changed = await changedViews(client, await readViews(directory), names.at(-1) ?? '');
  return [...names.filter((name) => !applied.has(name)), ...changed.map(({ name }) => name)];
}

/** Whether any migration was applied to the database. */
export async function hasTables(
  url: string,
  options: Pick<SingleConnectionOptions, 'connectTimeout' | 'signal'> = {},
): Promise<boolean> {
  const client = await connectSingle(url, options);
  try {
    const { rows } = await client.query(
      "select to_regclass('schema_migration') is not null as found",
    );
    return rows[0].found;
  } finally {
    await client.end();
  }
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, " +
      "current_setting('server_version') as name, current_setting('server_encoding') as encoding",
  );
  if (rows[0].number < OLDEST)
    throw new Error(`PostgreSQL 15 or newer is required; this is ${rows[0].name}.`);
  if (rows[0].encoding !== ENCODING)
    throw new Error(`This database cannot be used: ${wrongEncoding(rows[0].encoding)}.`);
}

/** Of the database. That of a PostgreSQL which was set up without a locale is another one. */
export const ENCODING = 'UTF8';

export const wrongEncoding = (found: string): string =>
  `its encoding must be ${ENCODING}, and is ${found}: drop it, and create it with ` +
  `"encoding '${ENCODING}' template template0"`;

/**
 * Makes the table of applied migrations; false when another role owns it, and only that role may
 * write to it.
 */
async function prepareTable(client: pg.Client): Promise<boolean> {
  // Looked for first: even IF NOT EXISTS asks for the right to create.
  const { rows } = await client.query(
    "select pg_has_role(relowner, 'usage') as mine from pg_class where oid = " +
      "to_regclass('schema_migration')",
  );
  if (rows.length > 0) return rows[0].mine;
  await client.query(`create table schema_migration (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
  await client.query("comment on table schema_migration is 'The migrations that were applied.'");
  return true;
}

const notTheOwner = (missing: { name: string }[]) =>
  `The database lacks ${missing.map(({ name }) => name).join(', ')}, ` +
  'and this login is not its owner: run ' +
  '`guildhall migrate` with the login of its owner in DATABASE_URL, then start again.';

type Applied = Pick<Migration, 'name' | 'sha256'>;

/** The migrations that were applied, in their order. */
const readApplied = async (client: pg.Client): Promise<Applied[]> =>
  (await client.query<Applied>('select name, sha256 from schema_migration order by name')).rows;

/** The migrations that the database lacks. */
function compare(applied: readonly Applied[], migrations: Migration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, sha256 } of applied) {
    const migration = known.get(name);
    if (!migration) throw unknownMigration(name);
    if (migration.sha256 !== sha256) {
      throw new Error(
        `${name} was changed after it had been applied. Restore it and write a new migration.`,
      );
    }
    known.delete(name);
  }
  const missing = [...known.values()];
  const last = applied.at(-1)?.name ?? '';
  const late = missing.find(({ name }) => name < last);
  if (late)
    throw new Error(
      `${late.name} comes before ${last}, which has already been applied. Give it a higher number.`,
    );
  return missing;
}

/** Runs one file. An error names the file, and the line where PostgreSQL tells it. */
async function run(client: pg.Client, name: string, text: string): Promise<void> {
  await client.query(text).catch((error) => {
    throw new Error(`${name}${place(error, text)}: ${(error as Error).message}`, { cause: error });
  });
}

/**
 * PostgreSQL counts characters, not UTF-16 units, from 1. Faults found while running have no
 * position.
 */
function place(error: unknown, text: string): string {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (!position) return '';
  const before = [...text].slice(0, position - 1).join('');
  return `, line ${before.split('\n').length}`;
}

/**
 * The role of the server is made by a migration; it reads these tables to know whether it is ready.
 */
async function letServerRead(client: pg.Client): Promise<void> {
  await client.query(`do $$ declare name text; begin
    if exists (select from pg_roles where rolname = 'guildhall_app') then
      foreach name in array array['schema_migration', 'schema_view'] loop
        if to_regclass(name) is not null
          and not has_table_privilege('guildhall_app', name, 'select') then
          execute format('grant select on %I to guildhall_app', name);
        end if;
      end loop;
    end if;
  end $$`);
}
