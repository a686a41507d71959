import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clusterOf, startEmbedded } from '../db/embedded/embedded.ts';
import { startTestServer, type TestServerOptions } from './test-server.ts';

/** A PostgreSQL of a test's own, to do things to that no other test would survive. */
export interface Cluster {
  /** The owner's, of its database `guildhall`; after `start` there is another port in it. */
  url: string;
  dataDir: string;
  /** Where its files are. */
  directory: string;
  /** Runs one statement as the superuser. */
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** Sets one of PostgreSQL's settings for good, or takes it back. */
  set(name: string, value: string | undefined): Promise<void>;
  /** kill -9. All its processes at once. */
  kill(): Promise<void>;
  /** Starts it again; it recovers by itself. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

// What PostgreSQL has acknowledged survives its own death, and nothing here goes so far as to kill the machine.
const SETTINGS = { fsync: 'off', max_connections: '60', shared_buffers: '32MB' };

/** Started in a temporary directory, which goes with the test. */
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
      // A dead one that nobody buries looks alive: no reason to wait for ever.
      for (let i = 0; i < 400 && pids.some((pid) => signal(pid, 0)); i++) await pause(5);
    },
    start: async () => {
      // The keeper of its directory has it still in use, and stops also what was started for it.
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
