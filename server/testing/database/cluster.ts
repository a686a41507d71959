import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clusterOf, startEmbedded } from '../../db/embedded/embedded.ts';
import { startTestServer, type TestServerOptions } from '../harness/test-server.ts';

/** A separate PostgreSQL for one test, for faults that no other test would survive. */
export interface Cluster {
  /** The owner's address of its database `guildhall`; `start` changes the port in it. */
  url: string;
  dataDir: string;
  /** Where its files are. */
  directory: string;
  /** Runs one statement as the superuser. */
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** Changes one of PostgreSQL's settings permanently, or resets it. */
  set(name: string, value: string | undefined): Promise<void>;
  /** kill -9 of all its processes at once. */
  kill(): Promise<void>;
  /** Starts it again; it recovers by itself. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

// fsync is off: what PostgreSQL has acknowledged survives its own death, and no test kills the
// machine.
const SETTINGS = { fsync: 'off', max_connections: '60', shared_buffers: '32MB' };

/** Starts it in a temporary directory that is removed with the test. */
export async function startCluster({
  settings = {},
  standbyOf,
}: TestServerOptions = {}): Promise<Cluster> {
  const all = { ...SETTINGS, ...settings };
  const server = await startTestServer({
    settings: all,
    ...(standbyOf === undefined ? {} : { standbyOf }),
  });
  const directory = (await clusterOf(server.dataDir)) as string;
  let leave = async () => {};
  const cluster: Cluster = {
    ...server,
    directory,
    ask: async (text) => {
      const client = new pg.Client(cluster.url);
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    set: async (name, value) => {
      await cluster.ask(
        `alter system ${value === undefined ? `reset ${name}` : `set ${name} = '${value}'`}`,
      );
      await cluster.ask('select pg_reload_conf()');
    },
    kill: async () => {
      const postmaster = Number.parseInt(
        await readFile(join(directory, 'postmaster.pid'), 'utf8'),
        10,
      );
      const backends = await cluster.ask(
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      );
      const pids = [postmaster, ...backends.map(({ pid }) => pid as number)];
      for (const pid of pids) signal(pid, 'SIGKILL');
      // A zombie process looks alive, so do not wait forever.
      for (let i = 0; i < 400 && pids.some((pid) => signal(pid, 0)); i++) await pause(5);
    },
    start: async () => {
      // The process that keeps its directory still uses it, and also stops what was started for it.
      const started = await startEmbedded({ dataDir: server.dataDir, settings: all });
      cluster.url = started.url;
      leave = started.stop;
    },
    stop: async () => {
      await leave();
      await server.stop();
    },
  };
  return cluster;
}

/** False when there is no such process. */
function signal(pid: number, name: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
