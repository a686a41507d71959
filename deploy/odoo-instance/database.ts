import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { InstanceReport } from '../../server/erp/instances/instance-order.ts';
import { signsInAsAdmin } from './administrator.ts';
import { hashPassword } from './hash-password.ts';

/**
 * The databases of instances: copies of templates, each used by a role of its own that reaches no
 * other database. What a database has is in its comment, which only the role of the operator writes.
 * `server`: how to connect to PostgreSQL, to any database; what is left out is that of the PG
 * variables.
 */

type Server = pg.ClientConfig;

/** What is installed in a database. */
export interface Installed {
  /** The role that the objects in it belong to, or one that has its rights. */
  role: string;
  /** As in an order. */
  modules: Record<string, string>;
  commit?: string | undefined;
  /** Of what is kept for the next tasks of a project: of which, and when it was used last, in ISO 8601. */
  project?: string | undefined;
  usedAt?: string | undefined;
  /** What it began with. */
  data?: InstanceReport['data'];
  /** The id of the dump that its data are of. */
  dump?: string | undefined;
}

/** Rejects as soon as the connection is lost, also between two statements: a lock is lost with it. */
export async function connected<Result>(
  config: Server,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  const lost = new Promise<never>((_, reject) => client.on('error', reject));
  lost.catch(() => undefined);
  await client.connect();
  try {
    return await Promise.race([work(client), lost]);
  } finally {
    await client.end();
  }
}

const name = pg.escapeIdentifier;
const text = pg.escapeLiteral;

/** Undefined for a database that is not there, or that is not one of ours. */
export async function installedIn(
  client: pg.Client,
  database: string,
): Promise<Installed | undefined> {
  const { rows } = await client.query<{ said: string | null }>(
    `select shobj_description(oid, 'pg_database') as said from pg_database where datname = $1`,
    [database],
  );
  const said = rows[0]?.said;
  return said?.startsWith('{') ? (JSON.parse(said) as Installed) : undefined;
}

export const note = (client: pg.Client, database: string, installed: Installed) =>
  client.query(`comment on database ${name(database)} is ${text(JSON.stringify(installed))}`);

/** In bytes; 0 for a database that is not there. */
export async function sizeOf(client: pg.Client, database: string): Promise<number> {
  const { rows } = await client.query<{ size: string }>(
    'select pg_database_size(oid) as size from pg_database where datname = $1',
    [database],
  );
  return Number(rows[0]?.size ?? 0);
}

/**
 * Whether PostgreSQL lets the role of the operator in without its password. What Odoo runs would then
 * be let in, too, because it reaches the same socket.
 */
export const letsAnyoneIn = (server: Server): Promise<boolean> =>
  connected({ ...server, password: 'not the password' }, async () => true).catch(
    (error: { code?: string }) => {
      if (error.code === '28P01' || error.code === '28000') return false;
      throw error;
    },
  );

/** A password for the role, which counts from now on; the role is made if it is missing. */
export async function roleWithPassword(client: pg.Client, role: string): Promise<string> {
  const password = randomBytes(24).toString('hex');
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  await client.query(
    `${rowCount === 0 ? 'create' : 'alter'} role ${name(role)}
       login connection limit 64 password ${text(password)}`,
  );
  return password;
}

/** Where locks are held: each database has its own, and those of `postgres` are anybody's. */
const LOCKS = 'guildhall_odoo_locks';

/** Does work that no one else of this name does at the same time. Only the operator's role can block it. */
export async function alone<Result>(
  server: Server,
  work: string,
  perform: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const place = { ...server, database: LOCKS };
  for (let attempt = 1; ; attempt++) {
    const isThere = await connected(place, async () => true).catch((error) => {
      if (attempt < 10 && (error.code === '3D000' || error.code === '55000')) return false;
      throw error;
    });
    if (isThere) break;
    // Of several at once, each finds that another one has done some of it.
    await connected(server, makeLocks).catch(() => undefined);
  }
  return connected(place, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [work]);
    return perform(client);
  });
}

/** No other role can connect to it, not even before the right is revoked. */
async function makeLocks(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [LOCKS]);
  if (rowCount === 0)
    await client.query(`create database ${LOCKS} template template0 allow_connections false`);
  await client.query(`revoke all on database ${LOCKS} from public`);
  await client.query(`alter database ${LOCKS} allow_connections true`);
}

/**
 * Makes a database as a copy of another one, to which no one is connected then, for a role: it may do
 * there what could be done with the other one, and connects to no other database. The copy replaces
 * what has its name.
 */
export async function copyDatabase(
  server: Server,
  { from, to, role }: { from: string; to: string; role: string },
): Promise<void> {
  await connected(server, async (client) => {
    const before = await installedIn(client, from);
    await drop(client, to);
    // What its Odoo has left that was killed.
    await endSessionsIn(client, from);
    await client.query(
      `create database ${name(to)} template ${name(from)}${from === 'template0' ? " encoding 'UTF8'" : ''}`,
    );
    await client.query(`revoke all on database ${name(to)} from public`);
    await client.query(`grant connect, create, temporary on database ${name(to)} to ${name(role)}`);
    if (before !== undefined && before.role !== role)
      await client.query(`grant ${name(before.role)} to ${name(role)}`);
  });
  // Each database has a schema of its own.
  await connected({ ...server, database: to }, (client) =>
    client.query(`grant usage, create on schema public to ${name(role)}`),
  );
}

/** From then on no role but the operator's connects to it: it is only copied. */
export async function keepAsTemplate(client: pg.Client, database: string, role: string) {
  await client.query(`revoke all on database ${name(database)} from ${name(role)}`);
  await client.query(`alter role ${name(role)} nologin`);
  await endSessions(client, role);
}

/**
 * Ends what a role has at work, in whatever database: PostgreSQL goes on with a statement whose client
 * was killed. The role of the operator may end it only with the rights of that role.
 */
export async function endSessions(client: pg.Client, role: string): Promise<void> {
  const ofRole = 'from pg_stat_activity where usename = $1';
  const { rowCount } = await client.query(`select ${ofRole}`, [role]);
  if (rowCount === 0) return;
  await client.query(`grant ${name(role)} to current_user`);
  await client.query(`select pg_terminate_backend(pid, ${END_WITHIN_MS}) ${ofRole}`, [role]);
  await client.query(`revoke ${name(role)} from current_user`);
}

async function endSessionsIn(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `select distinct rolname as role
       from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
      where datname = $1 and rolname <> current_user and not rolsuper`,
    [database],
  );
  for (const { role } of rows) await endSessions(client, role);
}

const END_WITHIN_MS = 10_000;

/** Databases that are kept for a project, and for all projects together. */
const KEPT = { ofProject: 4, ofAll: 40 };

/**
 * Drops what is kept for projects beyond the newest, but nothing that is used at that moment. Returns
 * what was dropped. `prefix`: what the names of databases that are kept begin with.
 */
export async function dropOldest(
  client: pg.Client,
  prefix: string,
  { ofProject, ofAll } = KEPT,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; said: string | null }>(
    `select datname as name, shobj_description(oid, 'pg_database') as said
       from pg_database where starts_with(datname, $1)`,
    [prefix],
  );
  const kept = rows
    .flatMap(({ name, said }) =>
      said?.startsWith('{') ? [{ name, ...(JSON.parse(said) as Installed) }] : [],
    )
    .filter(({ project }) => project !== undefined)
    .toSorted((a, b) => (b.usedAt ?? '').localeCompare(a.usedAt ?? ''));
  const seen = new Map<string | undefined, number>();
  const dropped: string[] = [];
  for (const [index, { name: database, project, role }] of kept.entries()) {
    const before = seen.get(project) ?? 0;
    seen.set(project, before + 1);
    if (before < ofProject && index < ofAll) continue;
    const gone = await client.query(`drop database if exists ${name(database)}`).then(
      () => true,
      () => false,
    );
    if (!gone) continue;
    await dropRole(client, role);
    dropped.push(database);
  }
  return dropped;
}

/**
 * Drops what is kept for projects of a dump, and the roles of dumps that nothing belongs to any more:
 * copies of their databases outlive them.
 */
export async function dropOfDump(client: pg.Client, prefix: string, dump: string): Promise<void> {
  const { rows } = await client.query<{ name: string; said: string }>(
    `select datname as name, shobj_description(oid, 'pg_database') as said
       from pg_database
      where starts_with(datname, $1) and shobj_description(oid, 'pg_database') like '{%'`,
    [prefix],
  );
  for (const { name: database, said } of rows) {
    const kept = JSON.parse(said) as Installed;
    if (kept.dump !== dump) continue;
    await drop(client, database);
    await dropRole(client, kept.role);
  }
  const unused = await client.query<{ role: string }>(`
    select rolname as role from pg_roles r
     where rolname ~ '^guildhall_dump_[0-9a-f]{32}$' and not rolcanlogin
       and not exists (select from pg_database where datname in (rolname, rolname || '_new'))
       and not exists (select from pg_shdepend
                        where refclassid = 'pg_authid'::regclass and refobjid = r.oid)`);
  for (const { role } of unused.rows) await dropRole(client, role);
}

export async function renameDatabase(client: pg.Client, from: string, to: string): Promise<void> {
  await drop(client, to);
  await client.query(`alter database ${name(from)} rename to ${name(to)}`);
}

/** What PostgreSQL says to a role without the rights of a superuser that would end what it does itself. */
const NOT_ALLOWED = '42501';

/** Also while it is used. Nothing happens when there is none. */
export async function drop(client: pg.Client, database: string): Promise<void> {
  await endSessionsIn(client, database);
  const statement = `drop database if exists ${name(database)}`;
  await client.query(`${statement} with (force)`).catch((error: { code?: string }) => {
    if (error.code !== NOT_ALLOWED) throw error;
    // It is at work there itself, to clean up, and ends that for a statement without force.
    return client.query(statement);
  });
}

/** Removes a role that nothing belongs to any more; otherwise it stays, and cannot sign in. */
export async function dropRole(client: pg.Client, role: string): Promise<void> {
  await endSessions(client, role);
  await client.query(`drop role if exists ${name(role)}`).catch(() => undefined);
}

/**
 * Makes it another one than its template: its identity, its secret, and who may sign in. The password
 * is an API key, too, because JSON-2 takes nothing else.
 */
export async function makeItsOwn(database: Server, password: string): Promise<void> {
  await connected(database, async (client) => {
    await client.query('begin');
    for (const key of ['database.uuid', 'database.secret'])
      await client.query('update ir_config_parameter set value = $2 where key = $1', [
        key,
        randomUUID(),
      ]);
    const admin = await signsInAsAdmin(client);
    const hashed = hashPassword(password);
    await client.query('update res_users set password = $2 where id = $1', [admin, hashed]);
    await client.query("delete from res_users_apikeys where name = 'Guildhall'");
    await client.query(
      `insert into res_users_apikeys (name, user_id, index, key) values ('Guildhall', $1, $2, $3)`,
      [admin, password.slice(0, 8), hashed],
    );
    await client.query('commit');
  });
}
