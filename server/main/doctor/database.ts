import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { lookForMoment, type Replayed } from '../../db/database/moment.ts';
import { connectSingle } from '../../db/database/single-connection.ts';
import { clusterOf, findEmbedded } from '../../db/embedded/embedded.ts';
import { HALF_RESTORED } from '../../db/migrate/half-restored.ts';
import { NewerDatabase } from '../../db/migrate/newer-database.ts';
import { ENCODING, pending, wrongEncoding } from '../../db/migrate.ts';
import { type Sql, statement } from '../../db/sql.ts';
import type { Config } from '../../platform/config/config.ts';
import { readFolderId } from '../../platform/folder-id.ts';
import { keyIdOf } from '../../platform/sealing/sealing.ts';
import { EVENT_DATABASE } from '../../tasks/events/migrate-event-log.ts';
import { readMarker } from '../backup/marker.ts';
import { knownSecrets } from '../server-secret.ts';
import { type Finding, failure, ok, reasonOf, warning } from './finding.ts';

/** What is wrong with the databases. Nothing is started, migrated or written. */

const OLDEST = 150_000;
const STATEMENT_MS = 10_000;
const LATE_MS = 1_000;
const VERY_LATE_MS = 30_000;

export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { dataDir, databaseUrl, databaseReplicaUrls, eventDatabaseUrl } = config;
  const marker = await readMarker(config.repositories).catch((error) => reasonOf(error));
  if (typeof marker === 'string') return [failure('database', marker)];
  if (marker !== undefined)
    return [failure('database', `${dataDir} is half restored: run guildhall restore again`)];
  const found: Finding[] = [];
  let primary: Primary;
  if (databaseUrl !== undefined)
    found.push(
      ...(await look(config, 'database', databaseUrl, async (client) => {
        if (databaseReplicaUrls.length > 0)
          primary = await lookForMoment(asking(client)).catch(() => undefined);
        return main(client, config);
      })),
    );
  else found.push(...(await embedded(config)));
  for (const url of databaseReplicaUrls)
    found.push(
      ...(await look(config, `replica ${new URL(url).host}`, url, (client, name) =>
        replica(client, name, primary),
      )),
    );
  if (eventDatabaseUrl !== undefined)
    found.push(
      ...(await look(config, 'events', eventDatabaseUrl, async (client, name) => [
        ...(await schema(client, name, EVENT_DATABASE)),
        ...(await writable(client, name)),
      ])),
    );
  return found;
}

async function embedded(config: Config): Promise<Finding[]> {
  const { dataDir } = config;
  const running = await findEmbedded(dataDir).catch(() => undefined);
  if (running !== undefined)
    return look(config, 'embedded database', running.url, (client) => main(client, config));
  const cluster = await clusterOf(dataDir).catch((error) => reasonOf(error));
  if (cluster === undefined)
    return [ok('embedded database', `there is none in ${dataDir} yet: the first start makes it`)];
  if (!cluster.startsWith('/') && !/^[A-Z]:/.test(cluster))
    return [failure('embedded database', cluster)];
  return [ok('embedded database', `it does not run: a server starts it (${cluster})`)];
}

async function look(
  { database }: Config,
  name: string,
  url: string,
  work: (client: pg.Client, name: string) => Promise<Finding[]>,
): Promise<Finding[]> {
  const { connectTimeout, statementTimeout } = database;
  // A server that hangs ends no statement, and says nothing.
  const within = connectTimeout + 2 * (statementTimeout || STATEMENT_MS);
  const late = AbortSignal.timeout(within);
  let client: pg.Client | undefined;
  try {
    const applicationName = 'guildhall doctor';
    client = await connectSingle(url, { applicationName, connectTimeout, signal: late });
    await client.query(
      `set default_transaction_read_only = on; set statement_timeout = ${STATEMENT_MS}`,
    );
    return await work(client, name);
  } catch (error) {
    if (late.aborted)
      return [
        failure(
          name,
          `it takes connections, and does not answer within ${within / 1_000} s: look at PostgreSQL and its machine`,
        ),
      ];
    const todo =
      client === undefined
        ? 'check that PostgreSQL runs, and the address and login in its setting'
        : 'this is what PostgreSQL answers';
    return [failure(name, `${reasonOf(error)}: ${todo}`)];
  } finally {
    await client?.end();
  }
}

async function main(client: pg.Client, config: Config): Promise<Finding[]> {
  const name = config.databaseUrl === undefined ? 'embedded database' : 'database';
  return [
    ...(await schema(client, name)),
    ...(await writable(client, name)),
    await clock(client),
    ...(await secret(client, config)),
    ...(await repositories(client, config)),
  ];
}

/** Whether the repositories here are those of the database, once a worker has bound it to them. */
async function repositories(
  client: pg.Client,
  { repositories: directory }: Config,
): Promise<Finding[]> {
  const there = await client.query(`select to_regclass('repository_folder') is not null as made`);
  if (!there.rows[0].made) return [];
  const { rows } = await client.query<{ id: string; place: string }>(
    'select id, place from repository_folder',
  );
  const [bound] = rows;
  const here = await readFolderId(directory);
  if (bound === undefined && here !== undefined)
    return [
      warning(
        'repositories',
        `no worker has used this database yet, and ${directory} has the repositories of another one: ` +
          'check DATABASE_URL and DATA_DIR before a server starts',
      ),
    ];
  if (bound === undefined || here === bound.id) return [];
  const said =
    `those of this database are not in ${directory}, but in the folder first used as ` +
    `${bound.place}: see that its volume is mounted, and that DATA_DIR is the one that all workers ` +
    'share; a server without it carries out no tasks, and shows no code';
  const isOfThisMachine = bound.place.startsWith(`${hostname()}:`);
  return [(isOfThisMachine ? failure : warning)('repositories', said)];
}

async function schema(client: pg.Client, name: string, directory?: string): Promise<Finding[]> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as number,
            current_setting('server_version') as version,
            current_setting('server_encoding') as encoding,
            pg_size_pretty(pg_database_size(current_database())) as size,
            to_regclass('schema_migration') is not null as migrated`,
  );
  const [{ number, version, encoding, size, migrated }] = rows;
  if (number < OLDEST)
    return [failure(name, `PostgreSQL ${version} is too old: 15 or newer is needed`)];
  if (encoding !== ENCODING) return [failure(name, wrongEncoding(encoding))];
  const said = `PostgreSQL ${version}, ${size}`;
  if (!migrated)
    return [
      warning(
        name,
        `${said}, without tables of Guildhall: a start or guildhall migrate makes them`,
      ),
    ];
  const { rows: marked } = await client.query('select from schema_migration where name = $1', [
    HALF_RESTORED,
  ]);
  if (marked.length > 0) return [failure(name, 'half restored: run guildhall restore again')];
  const missing = await pending(client, directory).catch((error) => {
    if (error instanceof NewerDatabase) return error;
    throw error;
  });
  if (missing instanceof NewerDatabase)
    return [
      failure(
        name,
        `${said}. ${missing.message} Run the version that has migrated it, or restore a backup of before`,
      ),
    ];
  if (missing.length > 0)
    return [
      warning(
        name,
        `${said}, lacks ${missing.length} migrations of this version: a start applies them`,
      ),
    ];
  return [ok(name, `${said}, migrated`)];
}

/** Whether it takes writes. This connection does not: it was told so. */
async function writable(client: pg.Client, name: string): Promise<Finding[]> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() as recovering, reset_val = 'on' as read_only
       from pg_settings where name = 'default_transaction_read_only'`,
  );
  const [{ recovering, read_only }] = rows;
  if (recovering)
    return [
      failure(name, 'it is a standby and takes no writes: its setting must name the primary'),
    ];
  if (read_only)
    return [
      failure(
        name,
        'it takes no writes: turn default_transaction_read_only off, which is on for this database or login',
      ),
    ];
  return [];
}

/** Undefined where DATABASE_URL does not say where it is. */
type Primary = Awaited<ReturnType<typeof lookForMoment>>;

const asking =
  (client: pg.Client) =>
  async <Row>(query: Sql): Promise<Row[]> =>
    (await client.query(statement(query))).rows as Row[];

async function replica(client: pg.Client, name: string, primary: Primary): Promise<Finding[]> {
  const [{ recovering, system, behind }] = (await client.query(STANDBY)).rows;
  if (!recovering)
    return [failure(name, 'it is no standby: DATABASE_REPLICA_URLS must name standbys alone')];
  if (primary !== undefined && primary.system !== system)
    return [
      failure(name, 'it is a standby of another PostgreSQL than that of DATABASE_URL: follow that'),
    ];
  const found = await schema(client, name);
  const replayed = await untilReached(client, primary);
  if (replayed?.marked === false)
    return [
      failure(
        name,
        'it is far behind, or follows another primary than that of DATABASE_URL: look at its log',
      ),
    ];
  // One that nothing is sent to has replayed all that it knows of.
  if (replayed?.reached ?? (behind.known ?? 0) <= 1) return found;
  const said = behind.real === null ? 'more than a second' : `${behind.real.toFixed(1)} s`;
  return [...found, warning(name, `it is ${said} behind: the primary reads in its place`)];
}

const STANDBY = `
  with replayed as (
    select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float as ago
  )
  select pg_is_in_recovery() as recovering,
         (select system_identifier from pg_control_system()) as system,
         json_build_object(
           'real', ago,
           'known', case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0 else ago end
         ) as behind
    from replayed`;

/** What it says of where the primary was, once it has come there, or when it is late. */
async function untilReached(client: pg.Client, primary: Primary): Promise<Replayed | undefined> {
  if (primary?.moment === undefined) return undefined;
  for (const until = performance.now() + LATE_MS; ; await pause(50)) {
    const [replayed] = await asking(client)<Replayed>(primary.moment.question);
    if (replayed?.reached || performance.now() > until) return replayed;
  }
}

async function clock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query('select extract(epoch from clock_timestamp()) * 1000 as now');
  const after = Date.now();
  const now = Number(rows[0].now);
  const off = now < before ? before - now : Math.max(0, now - after);
  const said = `${(off / 1_000).toFixed(1)} s from that of the database`;
  if (off > VERY_LATE_MS) return failure('clock', `${said}: synchronise both machines (NTP)`);
  return off > LATE_MS
    ? warning('clock', `${said}: synchronise both machines (NTP)`)
    : ok('clock', said);
}

const SEALED = `
  select table_name::text as table, column_name::text as column from information_schema.columns
   where table_schema = current_schema() and data_type = 'text' and column_name ~ '(^|_)key_id$'
   order by 1`;

/** Whether what is sealed in the database opens with the secret of this process. */
async function secret(client: pg.Client, config: Config): Promise<Finding[]> {
  const known = await knownSecrets(config).catch((error: Error) => error);
  if (known instanceof Error) return [failure('SERVER_SECRET', reasonOf(known))];
  const { rows: columns } = await client.query<{ table: string; column: string }>(SEALED);
  const ids = new Set(
    [known?.current, known?.previous].flatMap((one) => (one ? keyIdOf(one) : [])),
  );
  const others: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await client.query(
      `select count(*)::int as count from ${client.escapeIdentifier(table)}
        where ${client.escapeIdentifier(column)} <> all($1::text[])`,
      [[...ids]],
    );
    if (rows[0].count > 0) others.push(`${rows[0].count} of ${table}`);
  }
  if (others.length > 0)
    return [
      failure(
        'SERVER_SECRET',
        `${known === undefined ? 'none is set, and' : 'another one'} sealed ${others.join(', ')}: set the ` +
          'one that the servers had, and the one before as SERVER_SECRET_PREVIOUS',
      ),
    ];
  if (known === undefined)
    return [
      warning('SERVER_SECRET', 'none is set or stored yet: the first server makes one in DATA_DIR'),
    ];
  return [ok('SERVER_SECRET', 'opens everything that is sealed')];
}
