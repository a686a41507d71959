import { availableParallelism } from 'node:os';
import pg from 'pg';
import { type Measured, measureServer, spread } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { cpuOfPostgres } from './processes.ts';
import { type Served, startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';
import { ONCE, prepare } from './world.ts';

/** `undefined`: one process that does all. */
const COUNTS = [undefined, 1, 2, 4];
const NAMES = ['P', 'T', 'A'];

/**
 * What a request costs when one, two and four processes answer (`serve --workers`). They alternate.
 * What stays the same can be spread over more cores; what grows is the price of it.
 */
export async function workers(setting: Setting): Promise<void> {
  const { adminUrl, directory, rounds, seconds, say } = setting;
  const { url, known } = await prepare(adminUrl, directory, ONCE, say);
  const chosen = operations(known).filter(({ name }) => NAMES.includes(name));
  const session = new pg.Client(url);
  await session.connect();
  const { pid } = (await session.query('select pg_backend_pid() as pid')).rows[0];
  const postgresCpu = cpuOfPostgres(pid);
  const servers: Served[] = [];
  try {
    for (const count of COUNTS)
      servers.push(await startGuildhall(url, {}, count === undefined ? {} : { workers: count }));
    const lines = [
      '| operation | processes | requests a second | server CPU, µs a request | PostgreSQL CPU | p50, p99 ms |',
      '|---|---:|---:|---:|---:|---:|',
    ];
    for (const operation of chosen) {
      const all: Measured[][] = COUNTS.map(() => []);
      for (let round = 0; round <= rounds; round++) {
        for (const [at, served] of servers.entries()) {
          say(`${operation.name}: round ${round} of ${rounds}, ${nameOf(COUNTS[at])}`);
          const pace = { seconds, connections: 32, postgresCpu };
          const measured = await measureServer(served, operation, pace);
          if (round > 0) all[at]?.push(measured);
        }
      }
      lines.push(...COUNTS.map((count, at) => row(operation, count, all[at] as Measured[])));
    }
    say('');
    process.stdout.write(`${lines.join('\n')}\n\n${availableParallelism()} cores\n`);
  } finally {
    for (const server of servers) await server.stop();
    await session.end();
  }
}

const nameOf = (count: number | undefined) =>
  count === undefined ? 'no --workers' : `--workers ${count}`;

function row({ name }: Operation, count: number | undefined, rounds: Measured[]): string {
  const of = (value: (measured: Measured) => number | undefined) => {
    const { median, min, max } = spread(rounds.map(value));
    return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
  };
  const cells = [
    name,
    nameOf(count),
    of(({ perSecond }) => perSecond),
    of(({ serverCpu }) => serverCpu),
    of((measured) => measured.postgresCpu),
    `${of(({ p50 }) => p50)}, ${of(({ p99 }) => p99)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}
