import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

const MIGRATIONS = join(import.meta.dirname, 'migrations');
const OLDEST = 150_000;

/** Any number that nobody else locks: "guildhal" in ASCII. */
const LOCK = 0x6775_696c_6468_616cn;

type Migration = { name: string; text: string; sha256: string };
type Asking = { query(text: string): Promise<{ rows: { name: string }[] }> };

/**
 * Brings a database to this version: applies what is missing of `migrations/NNNN-*.sql`, in order, each in a
 * transaction of its own that holds a lock: many processes may start at once, and nothing is left to a session, so that
 * it works through a pooler too (decision 14). Connects as the owner of the schema (where nothing is missing, as any
 * login that may act as `guildhall_app`). Returns the names applied now and the last one.
 * Throws an Error, having changed nothing, when a file fails (with file, line and PostgreSQL's message), an applied file
 * was changed, the database is newer than this version, or PostgreSQL is older than 15.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  directory: string = MIGRATIONS,
): Promise<{ applied: string[]; current: string }> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ connectionString: url, application_name: 'guildhall migrate' });
  // A connection that is lost between two statements is told by the next one.
  client.on('error', () => {});
  await client.connect();
  try {
    await checkVersion(client);
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(client, migrations);
      if (name === undefined) return { applied, current: migrations.at(-1)?.name ?? '' };
      log(`Applied migration ${name}.`);
      applied.push(name);
    }
  } finally {
    await client.end();
  }
}

/** One transaction: applies the first migration that is missing and returns its name, or nothing when none is. */
async function applyNext(client: pg.Client, migrations: Migration[]): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin');
      // A migration may take long, and so may waiting for another process that runs it.
      await client.query(
        'set local statement_timeout = 0; set local lock_timeout = 0; set local client_min_messages = warning',
      );
      await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
      const mayMigrate = await prepareTable(client);
      const missing = await compare(client, migrations);
      if (missing.length > 0 && !mayMigrate) throw new Error(notTheOwner(missing));
      const [next] = missing;
      if (next === undefined) await letServerRead(client);
      else await apply(client, next);
      await client.query('commit');
      return next?.name;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (attempt < 10 && isRaceOnRoles(error)) continue;
      throw error;
    }
  }
}

/** The migrations of this version that the database lacks; what `/readyz` asks. One statement. */
export async function pending(client: Asking, directory: string = MIGRATIONS): Promise<string[]> {
  const names = await listFiles(directory);
  const { rows } = await client.query('select name from schema_migration').catch((error) => {
    if (error.code === '42P01') return { rows: [] }; // no such table: nothing was applied
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
}

/** Whether any migration was applied to the database. */
export async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'guildhall migrate' });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(
      "select to_regclass('schema_migration') is not null as found",
    );
    return rows[0].found;
  } finally {
    await client.end();
  }
}

async function listFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const name of await listFiles(directory)) {
    // Git may write the line ends of Windows; the migration is the same.
    const text = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
    const own = /^\s*(begin|commit|end|rollback|start transaction)\s*;/im.exec(text);
    if (own)
      throw new Error(
        `${name} contains "${own[0].trim()}": each migration already is one transaction.`,
      );
    if (migrations.at(-1)?.name.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(`${migrations.at(-1)?.name} and ${name} have the same number.`);
    }
    migrations.push({ name, text, sha256: createHash('sha256').update(text).digest('hex') });
  }
  return migrations;
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  if (rows[0].number < OLDEST)
    throw new Error(`PostgreSQL 15 or newer is required; this is ${rows[0].name}.`);
}

/** Makes the table of what was applied; false when it is somebody else's, who alone may write to it. */
async function prepareTable(client: pg.Client): Promise<boolean> {
  // Looked for first: even IF NOT EXISTS asks for the right to create.
  const { rows } = await client.query(
    "select pg_has_role(relowner, 'usage') as mine from pg_class where oid = to_regclass('schema_migration')",
  );
  if (rows.length > 0) return rows[0].mine;
  await client.query(`create table schema_migration (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
  return true;
}

const notTheOwner = (missing: Migration[]) =>
  `The database lacks ${missing.map(({ name }) => name).join(', ')}, and this login is not its owner: run ` +
  '`guildhall migrate` with the login of its owner in DATABASE_URL, then start again.';

async function compare(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query('select name, sha256 from schema_migration order by name');
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, sha256 } of rows) {
    const migration = known.get(name);
    if (!migration) {
      throw new Error(
        `The database is newer than this Guildhall: ${name} was applied to it but is unknown here.`,
      );
    }
    if (migration.sha256 !== sha256) {
      throw new Error(
        `${name} was changed after it had been applied. Restore it and write a new migration.`,
      );
    }
    known.delete(name);
  }
  const missing = [...known.values()];
  const last = rows.at(-1)?.name;
  const late = missing.find(({ name }) => name < last);
  if (late)
    throw new Error(
      `${late.name} comes before ${last}, which has already been applied. Give it a higher number.`,
    );
  return missing;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.text);
    await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ]);
  } catch (error) {
    throw new Error(
      `${migration.name}${place(error, migration.text)}: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/** Roles belong to the whole server: two databases of it migrated at once meet there, past the lock of each. */
function isRaceOnRoles(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return (
    cause instanceof pg.DatabaseError && /^tuple concurrently (updated|deleted)/.test(cause.message)
  );
}

/** PostgreSQL counts characters, not UTF-16 units, from 1. Faults found while running have no position. */
function place(error: unknown, text: string): string {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (!position) return '';
  const before = [...text].slice(0, position - 1).join('');
  return `, line ${before.split('\n').length}`;
}

/** The server's role is made by a migration, after the table; it reads the table to know whether it is ready. */
async function letServerRead(client: pg.Client): Promise<void> {
  await client.query(`do $$ begin
    if exists (select from pg_roles where rolname = 'guildhall_app')
       and not has_table_privilege('guildhall_app', 'schema_migration', 'select') then
      grant select on schema_migration to guildhall_app;
    end if;
  end $$`);
}
