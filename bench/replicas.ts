import pg from 'pg';
import { startCluster } from '../server/testing/database/cluster.ts';
import { load } from './load.ts';
import { type Measured, measureServer, spread } from './measure.ts';
import { mix, type Operation, operations } from './operations.ts';
import { cpuOfPostgres } from './processes.ts';
import { type Served, startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';
import { ONCE, prepare } from './world.ts';

interface Round extends Measured {
  replicaCpu: number;
  /** Of the reads. */
  byReplica: number;
}

/** Changes a second that are made beside the reads, in the second part. */
const WRITES = 100;
const VARIANTS = ['primary alone', 'with a replica', 'with a replica, beside writes'] as const;

/**
 * What a read costs the primary, the replica and the server, without a replica, with one, and with
 * one while the data changes. The three alternate.
 */
export async function replicas(setting: Setting): Promise<void> {
  const { adminUrl, directory, rounds, seconds, say } = setting;
  const { url, known } = await prepare(adminUrl, directory, ONCE, say);
  const of = (name: string) =>
    operations(known).find((operation) => operation.name === name) as Operation;
  const [people, team] = [of('P'), of('T')];
  say('a replica is made');
  // A standby starts with no less than its primary.
  const settings = { max_connections: '200' };
  const standby = await startCluster({ standbyOf: directory, settings });
  const replica = Object.assign(new URL(standby.url), { pathname: new URL(url).pathname }).href;
  const [cpuOfPrimary, cpuOfReplica] = await Promise.all([url, replica].map(cpuOfServer));
  const alone = await startGuildhall(url, { METRICS_PORT: '0' });
  const beside = await startGuildhall(url, {
    METRICS_PORT: '0',
    DATABASE_REPLICA_URLS: replica,
  });
  const measure = async (served: Served, writes: boolean): Promise<Round> => {
    const before = { cpu: cpuOfReplica?.() ?? 0, reads: await readsOfReplica(served) };
    const writing = writes
      ? load({ url: alone.url, connections: 8, next: mix(team), seconds, rate: WRITES })
      : undefined;
    const measured = await measureServer(served, people, {
      seconds,
      connections: 32,
      postgresCpu: cpuOfPrimary as () => number,
    });
    await writing;
    const requests = measured.perSecond * seconds;
    return {
      ...measured,
      replicaCpu: ((cpuOfReplica?.() ?? 0) - before.cpu) / requests,
      byReplica: ((await readsOfReplica(served)) - before.reads) / requests,
    };
  };
  const all: Round[][] = VARIANTS.map(() => []);
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [at, name] of VARIANTS.entries()) {
        say(`round ${round} of ${rounds}: ${name}`);
        const measured = await measure(at === 0 ? alone : beside, at === 2);
        if (round > 0) all[at]?.push(measured);
      }
    }
    say('');
    process.stdout.write(`${table(all)}\n`);
  } finally {
    await Promise.all([alone.stop(), beside.stop()]);
    await standby.stop();
  }
}

async function cpuOfServer(url: string): Promise<() => number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const cpu = cpuOfPostgres(rows[0].pid);
  await client.end();
  return cpu;
}

async function readsOfReplica({ metrics }: Served): Promise<number> {
  const text = await (await fetch(metrics as string)).text();
  return Number(/^guildhall_database_replica_reads_total\S* (\d+)/m.exec(text)?.[1] ?? 0);
}

function table(all: Round[][]): string {
  const row = (what: string, value: (round: Round) => number, digits: number) => {
    const cells = all.map((rounds) => {
      const { median, min, max } = spread(rounds.map(value));
      return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
    });
    return `| ${what} | ${cells.join(' | ')} |`;
  };
  return [
    `| P, medians of ${all[0]?.length} rounds | ${VARIANTS.join(' | ')} |`,
    '|---|---:|---:|---:|',
    row('requests a second', ({ perSecond }) => perSecond, 0),
    row('p50, ms', ({ p50 }) => p50 ?? 0, 1),
    row('CPU of the primary, µs a request', ({ postgresCpu }) => postgresCpu, 0),
    row('CPU of the replica', ({ replicaCpu }) => replicaCpu, 0),
    row('CPU of the server', ({ serverCpu }) => serverCpu ?? 0, 0),
    row('share of the replica', ({ byReplica }) => byReplica, 3),
  ].join('\n');
}
