import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../server/db/embedded/embedded.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { numberOf, orUsage, UsageError } from '../server/testing/processes/arguments.ts';
import { WrongAnswer } from './measure.ts';
import type { Setting } from './setting.ts';
import { SHAPES } from './turns/repositories.ts';

// Every variant on the same rows in one run, interleaved in rounds (docs/performance.md): ratios,
// never absolute claims.

/** By their option; without one, operations are compared. */
const MEASUREMENTS: Record<string, () => Promise<(setting: Setting) => Promise<void>>> = {
  backup: async () => (await import('./backup.ts')).measureBackup,
  code: async () => (await import('./code.ts')).code,
  dashboard: async () => (await import('./dashboard.ts')).dashboard,
  growth: async () => (await import('./growth.ts')).growth,
  memory: async () => (await import('./memory.ts')).memory,
  month: async () => (await import('./month.ts')).month,
  programs: async () => (await import('./programs.ts')).programs,
  replicas: async () => (await import('./replicas.ts')).replicas,
  setup: async () => (await import('./setup.ts')).setup,
  'sign-ins': async () => (await import('./sign-ins.ts')).signIns,
  start: async () => (await import('./start.ts')).start,
  streams: async () => (await import('./streams.ts')).streams,
  turns: async () => (await import('./turns.ts')).turns,
  usage: async () => (await import('./usage.ts')).usage,
  workers: async () => (await import('./workers.ts')).workers,
};
const compare = async () => (await import('./compare.ts')).compare;

const OTHERS = Object.keys(MEASUREMENTS);

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
  --per-day <number>   with --month: how many tasks (default 10000; they take up 10 GB)
  --json <file>        also write the figures to this file
  --${OTHERS.join(', --')}   measure this instead
  --help               this text

Exits with 1 if an answer was wrong, never because it was slow.
`;

const SHAPE_NAMES: string[] = Object.keys(SHAPES);
const NAMES = ['P', 'I', 'T', 'A', 'A*', 'F'];

const { measurement, ...options } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: NAMES.join(',') },
      repositories: { type: 'string', default: SHAPE_NAMES.join(',') },
      'at-once': { type: 'string', default: '1,20' },
      'per-day': { type: 'string', default: '10000' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'no-peers': { type: 'boolean', default: false },
      json: { type: 'string' },
      ...Object.fromEntries(OTHERS.map((name) => [name, { type: 'boolean' as const }])),
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
  const { quick, json } = values;
  if (json !== undefined && !existsSync(dirname(resolve(json))))
    throw new UsageError(`--json must be a file in an existing directory, not "${json}"`);
  const chosen = OTHERS.filter((name) => name in values);
  if (chosen.length > 1)
    throw new UsageError(`only one of --${chosen.join(' and --')} can be measured at a time`);
  return {
    measurement: MEASUREMENTS[chosen[0] ?? ''] ?? compare,
    quick,
    json,
    only,
    peers: !values['no-peers'],
    shapes,
    atOnce: values['at-once']
      .split(',')
      .map((text) => numberOf('--at-once', text, { from: 1, to: 100 })),
    perDay: numberOf('--per-day', values['per-day'], { from: 10, to: 100_000 }),
    rounds: numberOf('--rounds', values.rounds ?? (quick ? '1' : '5'), { from: 1, to: 100 }),
    seconds: numberOf('--seconds', values.seconds ?? (quick ? '2' : '4'), { from: 1, to: 600 }),
  };
});

const directory = `${readConfig(process.env).dataDir}-bench`;
const say = (line: string) => {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
};

const postgres = await startEmbedded({
  dataDir: directory,
  settings: {
    max_connections: '200',
    max_wal_size: '4GB',
    ...(measurement === MEASUREMENTS.month
      ? { shared_preload_libraries: 'pg_stat_statements' }
      : {}),
  },
  log: say,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    postgres.stop().finally(() => process.exit(130));
  });
}
try {
  const measure = await measurement();
  await measure({ ...options, adminUrl: postgres.url, directory, say });
} catch (error) {
  if (!(error instanceof WrongAnswer)) throw error;
  process.stderr.write(`\nA wrong answer: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
