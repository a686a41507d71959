import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { connectSingle } from '../database/single-connection.ts';
import { type Cluster, isPostmaster, logOf, type Running, readPidFile, url } from './cluster.ts';
import { identify } from './process-identity.ts';

/** Finding the PostgreSQL of a cluster, and waiting until it accepts connections. */

/** What a process that waits for PostgreSQL is told, and what ends its wait. */
export interface Waiting {
  /** Told what is waited for, once that takes long. */
  log?: ((line: string) => void) | undefined;
  /** Ends it with its reason. */
  signal?: AbortSignal | undefined;
  timeouts?: Timeouts | undefined;
}

/** In milliseconds. */
export interface Timeouts {
  /** Until it is said what is waited for. */
  say: number;
  /** Until a PostgreSQL that refuses every connection is given up. */
  refused: number;
}

export const TIMEOUTS: Timeouts = { say: 5_000, refused: 60_000 };
/** Seconds that it may take to start, which a recovery after a crash can make long. */
export const START_WITHIN = 600;

/**
 * The running PostgreSQL; waits while it starts or stops. Undefined when it does not run. Throws an
 * Error with the end of its log when it refuses every connection for a minute.
 */
export async function findRunning(
  cluster: Cluster,
  { log = () => {}, signal, timeouts = TIMEOUTS }: Waiting = {},
): Promise<Running | undefined> {
  const began = performance.now();
  let said = false;
  for (;;) {
    signal?.throwIfAborted();
    const state = await probe(cluster.path, cluster.password, signal);
    if (state === undefined || 'port' in state) return state;
    const waited = performance.now() - began;
    if (waited > (state.starts ? START_WITHIN * 1_000 : timeouts.refused))
      throw new Error(
        `PostgreSQL in ${cluster.path} has refused every connection for ` +
          `${Math.round(waited / 1_000)} s (${state.busy}). Repair it, or set DATABASE_URL to use a ` +
          `PostgreSQL of your own. The end of its log ${logOf(cluster)}:\n${await endOfLog(cluster)}`,
      );
    if (!said && waited > timeouts.say)
      log(`PostgreSQL in ${cluster.path} accepts no connection yet (${state.busy}): waiting.`);
    said ||= waited > timeouts.say;
    await pause(100);
  }
}

/** Only what PostgreSQL says of itself: statements, which it also logs, may hold what is secret. */
async function endOfLog(cluster: Cluster): Promise<string> {
  const text = await fs.readFile(logOf(cluster), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => /\] (LOG|FATAL|PANIC|HINT): /.test(line));
  return lines.slice(-12).join('\n');
}

/** It runs, and accepts no connection: why, and whether that is because it starts. */
interface Busy {
  busy: string;
  starts: boolean;
}

/**
 * The running PostgreSQL, or that it accepts no connection; undefined when it does not run. The port
 * in postmaster.pid is believed only when a server there accepts our password and has this cluster.
 * Throws when it refuses our password.
 */
export async function probe(
  path: string,
  password: string,
  signal?: AbortSignal,
): Promise<Running | Busy | undefined> {
  const { pid, port } = await readPidFile(path);
  if (!pid) return undefined;
  let why = 'it has just been started';
  let code: string | undefined;
  if (port) {
    let client: pg.Client | undefined;
    try {
      client = await connectSingle(url(password, port, 'postgres'), { ssl: false, signal });
      const { rows } = await client.query("select current_setting('data_directory') as path");
      const postmaster = resolve(rows[0].path) === path ? await identify(pid) : undefined;
      if (postmaster !== undefined) return { port, postmaster };
      why = 'another server answers at its port';
    } catch (error) {
      signal?.throwIfAborted();
      // Not ready, another server, or gone: the process tells which.
      why = (error as Error).message;
      code = (error as { code?: string }).code;
      if (code === '28P01' && (await isPostmaster(pid, path))) {
        throw new Error(
          `The password stored for the cluster ${path} is not the one it was created with.`,
        );
      }
    } finally {
      await client?.end().catch(() => {});
    }
  }
  const starts = code === '57P03' && /starting up|recovery|not yet/.test(why);
  return (await isPostmaster(pid, path)) ? { busy: why, starts } : undefined;
}
