import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '../server/db/embedded/embedded.ts';
import { hashKey } from '../server/identity/keys/key.ts';
import { readConfig } from '../server/platform/config/config.ts';
import type { Sent } from '../server/testing/database/statements.ts';
import { numberOf, orUsage, UsageError } from '../server/testing/processes/arguments.ts';
import {
  FLOOR_CLIENTS,
  type Floor,
  freshApprovals,
  pgbenchVersion,
  plainFloor,
  topUpFloor,
} from './floor.ts';
import { type Measured, measureFloor, measureServer, type Pace, WrongAnswer } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { cpuOfPostgres } from './processes.ts';
import { type OperationResult, summarize, table, toJson } from './report.ts';
import { type Served, startBare, startGuildhall, startPeers } from './servers.ts';
import { recordStatements } from './statements.ts';
import { tail } from './tail.ts';
import { SHAPES } from './turns/repositories.ts';
import { type Known, ONCE, prepare } from './world.ts';

// Every variant on the same rows in one run, interleaved in rounds (docs/performance.md): ratios,
// never absolute claims.

const HELP = `Usage: npm run bench -- [options]

Measures the server against the same statements run by pgbench (the floor), against itself without authentication, limits,
log and headers (bare), and against every peer of bench/peers that is installed. The first run creates the data.

Options:
  --quick              one round; about a minute and a half without peers
  --only <names>       some of P,I,T,A,A*,F (explained in docs/performance.md)
  --rounds <number>    number of rounds (default 5)
  --seconds <number>   duration of each measurement (default 4)
  --no-peers           skip the peers
  --repositories <names>  with --turns: some of small,large,history
  --at-once <numbers>  with --turns: how many at once (default 1,20; work trees of large take 500 MB each)
  --json <file>        also write the figures to this file
  --backup, --code, --dashboard, --growth, --memory, --programs, --replicas, --setup, --sign-ins, --start, --streams, --turns, --usage   measure this instead
  --help               this text

Exits with 1 if an answer was wrong, never because it was slow.
`;

const SHAPE_NAMES: string[] = Object.keys(SHAPES);
const NAMES = ['P', 'I', 'T', 'A', 'A*', 'F'];

const options = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: NAMES.join(',') },
      repositories: { type: 'string', default: SHAPE_NAMES.join(',') },
      'at-once': { type: 'string', default: '1,20' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'no-peers': { type: 'boolean', default: false },
      json: { type: 'string' },
      backup: { type: 'boolean', default: false },
      code: { type: 'boolean', default: false },
      dashboard: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      programs: { type: 'boolean', default: false },
      replicas: { type: 'boolean', default: false },
      start: { type: 'boolean', default: false },
      'sign-ins': { type: 'boolean', default: false },
      streams: { type: 'boolean', default: false },
      setup: { type: 'boolean', default: false },
      turns: { type: 'boolean', default: false },
      usage: { type: 'boolean', default: false },
    },
  });
  const only = values.only.split(',');
  const strange = only.find((name) => !NAMES.includes(name));
  if (strange !== undefined)
    throw new UsageError(`--only must be some of ${NAMES.join(',')}, not "${strange}"`);
  const shapes = values.repositories.split(',');
  const unknown = shapes.find((name) => !SHAPE_NAMES.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--repositories must be some of ${SHAPE_NAMES.join(',')}, not "${unknown}"`,
    );
  if (values.json !== undefined && !existsSync(dirname(resolve(values.json))))
    throw new UsageError(`--json must be a file in an existing directory, not "${values.json}"`);
  const { quick } = values;
  return {
    ...values,
    only,
    shapes,
    atOnce: values['at-once']
      .split(',')
      .map((text) => numberOf('--at-once', text, { from: 1, to: 100 })),
    rounds: numberOf('--rounds', values.rounds ?? (quick ? '1' : '5'), { from: 1, to: 100 }),
    seconds: numberOf('--seconds', values.seconds ?? (quick ? '2' : '4'), { from: 1, to: 600 }),
  };
});
const { rounds, seconds } = options;
const CONNECTIONS = 32;

const directory = `${readConfig(process.env).dataDir}-bench`;
const say = (line: string) => {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
};

const postgres = await startEmbedded({
  dataDir: directory,
  settings: { max_connections: '200', max_wal_size: '4GB' },
  log: say,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    postgres.stop().finally(() => process.exit(130));
  });
}
try {
  if (options.backup)
    await (await import('./backup.ts')).measureBackup(postgres.url, { quick: options.quick, say });
  else if (options.code) await (await import('./code.ts')).code(postgres.url, say);
  else if (options.dashboard) await (await import('./dashboard.ts')).dashboard(postgres.url, say);
  else if (options.growth) await (await import('./growth.ts')).growth(postgres.url, directory, say);
  else if (options.memory) await (await import('./memory.ts')).memory(postgres.url, directory, say);
  else if (options.programs) await (await import('./programs.ts')).programs(say);
  else if (options.replicas)
    await (await import('./replicas.ts')).replicas(postgres.url, directory, {
      rounds,
      seconds,
      say,
    });
  else if (options.start) await (await import('./start.ts')).start(postgres.url, say);
  else if (options['sign-ins'])
    await (await import('./sign-ins.ts')).signIns(postgres.url, { rounds, seconds, say });
  else if (options.streams) await (await import('./streams.ts')).streams(postgres.url, seconds);
  else if (options.setup) await (await import('./setup.ts')).setup(postgres.url, rounds, say);
  else if (options.turns)
    await (await import('./turns.ts')).turns(postgres.url, {
      directory,
      rounds,
      shapes: options.shapes,
      atOnce: options.atOnce,
      say,
    });
  else if (options.usage) await (await import('./usage.ts')).usage(postgres.url, rounds, say);
  else await compare();
} catch (error) {
  if (!(error instanceof WrongAnswer)) throw error;
  process.stderr.write(`\nA wrong answer: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}

async function compare(): Promise<void> {
  const { url, known } = await prepare(postgres.url, directory, ONCE, say);
  const chosen = operations(known).filter(({ name }) => options.only.includes(name));
  const servers: Served[] = [];
  const owner = new pg.Client(url);
  await owner.connect();
  try {
    const { pid } = (await owner.query('select pg_backend_pid() as pid')).rows[0];
    const postgresCpu = cpuOfPostgres(pid);
    const fresh = await freshTasks(owner, known);
    const { floors, bare } = await prepareFloors(url, chosen);

    servers.push(await startGuildhall(url));
    const skipped: string[] =
      pgbenchVersion() === undefined ? ['pgbench is not installed: no floors'] : [];
    if (bare !== undefined) servers.push(await startBare(url, bare));
    if (!options['no-peers']) {
      const found = await startPeers(url, known);
      servers.push(...found.peers);
      skipped.push(...found.skipped);
    }
    const results: OperationResult[] = [];
    for (const operation of chosen) {
      results.push(
        await measureOperation(operation, {
          url,
          servers,
          floor: floors.get(operation),
          postgresCpu,
          fresh,
        }),
      );
    }
    const p = results.find(({ name }) => name === 'P');
    const tails =
      p === undefined
        ? undefined
        : await tail(
            servers[0] as Served,
            chosen.find(({ name }) => name === 'P') as Operation,
            p,
            seconds,
            say,
          );
    say('');
    process.stdout.write(table(results, tails, skipped, { rounds, seconds }));
    if (options.json !== undefined)
      await writeFile(options.json, `${JSON.stringify(toJson(results, tails), null, 2)}\n`);
  } finally {
    for (const server of servers) await server.stop();
    await owner.end();
  }
}

interface Setting {
  url: string;
  servers: Served[];
  floor: Floor | undefined;
  postgresCpu: () => number;
  fresh: (count: number) => Promise<number>;
}

/** All variants of one operation, in turn in each round, after one round to warm them up. */
async function measureOperation(operation: Operation, setting: Setting): Promise<OperationResult> {
  const { url, servers, floor, postgresCpu, fresh } = setting;
  const variants: { name: string; run: (pace: Pace) => Promise<Measured> }[] = [];
  if (floor !== undefined) {
    variants.push({ name: 'floor', run: (pace) => measureFloor(url, floor, operation, pace) });
    if (operation.once === undefined && !options.quick)
      variants.push({
        name: 'floor, 32 clients',
        run: (pace) => measureFloor(url, floor, operation, { ...pace, clients: 32 }),
      });
  }
  for (const server of servers.filter(({ operations }) => operations.includes(operation.name)))
    variants.push({ name: server.name, run: (pace) => measureServer(server, operation, pace) });

  const measured = new Map<string, Measured[]>(variants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of variants) {
      say(`${operation.name}: round ${round} of ${rounds}, ${name}`);
      const from =
        operation.once === undefined || operation.name === 'F'
          ? round
          : await fresh(operation.once);
      const pace = {
        seconds: round === 0 ? Math.min(1, seconds) : seconds,
        connections: CONNECTIONS,
        postgresCpu,
        from,
      };
      const result = await run(pace);
      if (round > 0) measured.get(name)?.push(result);
    }
  }
  return summarize(operation, measured);
}

/** The floors and the bare server run the statements that the server itself sends. */
async function prepareFloors(url: string, chosen: Operation[]) {
  const samples = chosen.map((operation) => ({
    operation,
    list: Array.from({ length: operation.name === 'A*' ? 1 : FLOOR_CLIENTS }, (_, n) =>
      operation.undo === undefined
        ? [operation.request(n)]
        : [operation.request(n), operation.request(n + operation.undo)],
    ).flat(),
  }));
  const recorded = await recordStatements(url, samples);
  const floors = new Map<Operation, Floor>();
  if (pgbenchVersion() !== undefined) {
    for (const [operation, sent] of recorded) {
      if (operation.name === 'A*') {
        const taskId = operation.request(0).path.split('/')[3] as string;
        floors.set(
          operation,
          freshApprovals(sent[0] as Sent[], taskId, (operation.once as number) / FLOOR_CLIENTS),
        );
      } else if (operation.name === 'F') floors.set(operation, topUpFloor(sent));
      else floors.set(operation, plainFloor(pairs(operation, sent)));
    }
  }
  const bare = Object.fromEntries(
    [...recorded].flatMap(([{ name, request }, [sent]]) => {
      const statement = sent?.at(-1);
      if ((name !== 'P' && name !== 'I') || statement === undefined) return [];
      const id = request(0).path.split('/')[3];
      const key = statement.values.findIndex((value) => Buffer.isBuffer(value));
      const ids = statement.values.flatMap((value, i) => (value === id ? [i] : []));
      return [[name, { ...statement, key, id: ids }]];
    }),
  );
  return { floors, bare: 'P' in bare && 'I' in bare ? bare : undefined };
}

/** The requests of one client: one, or a change and its reversal. */
function pairs({ undo }: Operation, sent: Sent[][]): Sent[][][] {
  if (undo === undefined) return sent.map((one) => [one]);
  return sent.flatMap((one, n) => (n % 2 === 0 ? [[one, sent[n + 1] as Sent[]]] : []));
}

/**
 * Provides tasks whose plan has an unapproved version; when they run out, every plan gets a new
 * version.
 */
async function freshTasks(
  owner: pg.Client,
  { workspaces }: Known,
): Promise<(count: number) => Promise<number>> {
  const tasks = workspaces.flatMap(({ key, tasks }) =>
    tasks.map((id) => ({ id, secret: hashKey(key) })),
  );
  await owner.query('drop table if exists bench_task');
  await owner.query(
    'create table bench_task (n integer primary key, id uuid not null, secret_hash bytea not null)',
  );
  await owner.query('grant select on bench_task to guildhall_app');
  await owner.query(
    'insert into bench_task select n - 1, id, hash from unnest($1::uuid[], $2::bytea[]) with ' +
      'ordinality t(id, hash, n)',
    [tasks.map(({ id }) => id), tasks.map(({ secret }) => secret)],
  );
  let next = tasks.length;
  return async (count) => {
    if (next + count > tasks.length) {
      await owner.query(`
        with newer as (
          insert into plan_revision (task_id, version, body)
          select task_id, version + 1, 'Another plan' from plan returning task_id, version)
        update plan p set version = newer.version from newer where newer.task_id = p.task_id`);
      await owner.query('vacuum analyze plan');
      next = 0;
    }
    next += count;
    return next - count;
  };
}
