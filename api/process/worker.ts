import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Config } from '../config.ts';
import { type Server, start } from './start.ts';

/**
 * What a worker sends to the first process: that it is ready, with the address where it listens,
 * if it does, and its figures when asked for them.
 */
export type WorkerMessage = { ready: string } | { counted: object[] };

/** Asks a worker for its figures. */
export const COUNT = 'count';

/**
 * One of several processes that answer requests: serves until `signal` settles or the first process
 * is gone. It uses the embedded PostgreSQL that the first process started and never starts one.
 */
export const runWorker = (config: Config, signal: Promise<void>): Promise<void> =>
  runInGroup(signal, (abandoned) =>
    start(config, { embedded: 'join', servesMetrics: false, abandoned }),
  );

/** What a process of a group is. `url`: where it listens, if it does. */
type Member = Pick<Server, 'registry' | 'close'> & { url?: string };

/**
 * Begins, and goes on until `signal` settles or the first process is gone. `begin` is given what
 * rejects when it has become pointless.
 */
export async function runInGroup(
  signal: Promise<void>,
  begin: (abandoned: Promise<never>) => Promise<Member>,
): Promise<void> {
  // The end of a terminal is signalled to every process; the first one decides what happens then.
  process.on('SIGHUP', () => {});
  const orphaned = whenOrphaned();
  const abandoned = orphaned.then(() => {
    throw new Error('The first process has ended.');
  });
  abandoned.catch(() => {}); // also when nothing waits for it any more
  try {
    const member = await begin(abandoned);
    report(member);
    await Promise.race([signal, orphaned]);
    await member.close();
  } finally {
    // The channel to the first process would keep this one running.
    if (process.connected) process.disconnect?.();
  }
}

/**
 * Settles when the first process is gone. Node would then exit at once and cut off running
 * requests.
 */
function whenOrphaned(): Promise<void> {
  // A message to a first process that has just died fails with EPIPE. Unhandled, that error would
  // end this worker before it has left the embedded PostgreSQL, which would then run for ever.
  cluster.worker?.on('error', () => {});
  cluster.worker?.once('disconnect', () => {
    (cluster.worker as Worker).exitedAfterDisconnect = true;
  });
  return once(process, 'disconnect').then(() => {});
}

function report({ url = '', registry }: Member): void {
  const send = (message: WorkerMessage) => process.send?.(message);
  process.on('message', async (message) => {
    if (message === COUNT) send({ counted: (await registry?.getMetricsAsJSON()) ?? [] });
  });
  send({ ready: url });
}
