import pg from 'pg';
import { WITHOUT_LIMITS } from '../copy/tables.ts';
import { connectSingle } from '../database/single-connection.ts';

/**
 * A database that a restore has begun to write, and not ended, has this row among its migrations:
 * no server of any version starts there.
 */
export const HALF_RESTORED = 'restore-unfinished';

/** What every other command says there. */
export const halfRestored = () =>
  new Error(
    'The database is half restored: `guildhall restore` began to write it and has not ended. ' +
      'Run that command again; it begins anew.',
  );

/** What a restore finds in a database. */
type Found = 'empty' | 'half restored' | 'in use';

export async function stateOfDatabase(url: string, connectTimeout?: number): Promise<Found> {
  const client = await connectSingle(url, { applicationName: 'guildhall restore', connectTimeout });
  try {
    return await lookWith(client);
  } finally {
    await client.end();
  }
}

async function lookWith(client: pg.Client): Promise<Found> {
  const { rows } = await client.query(
    `select exists (${OWN}) as used, to_regclass('schema_migration') is not null as migrated`,
  );
  const [{ used, migrated }] = rows;
  if (!used) return 'empty';
  if (!migrated) return 'in use';
  const marked = await client.query('select from schema_migration where name = $1', [
    HALF_RESTORED,
  ]);
  return marked.rows.length > 0 ? 'half restored' : 'in use';
}

/** A database that no other restore writes meanwhile. */
export interface Held {
  /** Servers may start there from now on. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const WAIT_MS = 5_000;
/** Any number that no other program locks: "restoreg" in ASCII. */
const LOCK = 0x7265_7374_6f72_6567n;

/**
 * Marks an empty or half-restored database, and removes what is in it; with `isFreed`, also one that a
 * restore has freed and no server has used since, which is asked once no other restore has it. Throws
 * an Error with a sentence where there is anything else, and while another restore has it.
 */
export async function beginRestore(
  url: string,
  { isFreed, connectTimeout }: { isFreed: () => Promise<boolean>; connectTimeout?: number },
): Promise<Held> {
  const client = await connectSingle(url, { applicationName: 'guildhall restore', connectTimeout });
  try {
    await client.query(`${WITHOUT_LIMITS}; set client_min_messages = warning`);
    // Of the session: held over all of its transactions, and free once its process has ended.
    await client.query(`set lock_timeout = ${WAIT_MS}`);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('set lock_timeout = 0');
    await client.query('begin');
    if ((await lookWith(client)) === 'in use' && !(await isFreed())) throw new Error(IN_USE);
    await client.query(CLEAR);
    await client.query(`create table schema_migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    await client.query("comment on table schema_migration is 'The migrations that were applied.'");
    await client.query("insert into schema_migration (name, sha256) values ($1, '')", [
      HALF_RESTORED,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.end();
    throw error instanceof pg.DatabaseError && error.code === '55P03' ? new Error(OTHER) : error;
  }
  return {
    end: async () => {
      await client.query('delete from schema_migration where name = $1', [HALF_RESTORED]);
    },
    close: () => client.end(),
  };
}

const IN_USE = 'There are tables in the database now: it must be an empty one.';
const OTHER = 'Another restore writes this database: wait until it has ended.';

/** Whatever is in the schema and is not of an extension. */
const OWN = `
  select from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

// Names first: what is dropped takes others with it.
const CLEAR = `do $$
declare
  relations text[] := array(
    select case c.relkind when 'v' then 'view if exists ' else 'table if exists ' end || quote_ident(c.relname)
      from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'v')
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'));
  functions text[] := array(
    select 'function if exists ' || p.oid::regprocedure from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e'));
  one text;
begin
  foreach one in array relations || functions loop
    execute format('drop %s cascade', one);
  end loop;
end $$`;
