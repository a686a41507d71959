import cluster, { type Worker } from 'node:cluster';
import type { Server } from './start.ts';
import { Signalled, untilAborted } from './until.ts';

/**
 * What a worker sends to the first process: that it is ready, with the address where it listens,
 * if it does, and what people should read; and its figures when asked for them.
 */
export type WorkerMessage = Ready | { counted: object[] };
export interface Ready {
  ready: string;
  notes: string[];
}

/** Asks a worker for its figures. */
export const COUNT = 'count';

/** What a process of a group is. `url`: where it listens, if it does. */
type Member = Pick<Server, 'registry' | 'notes' | 'close'> & { url?: string };

/**
 * Begins, and goes on until `stop` is aborted or the first process is gone. `begin` is given the
 * signal of both, which ends it.
 */
export async function runInGroup(
  stop: AbortSignal,
  begin: (signal: AbortSignal) => Promise<Member>,
): Promise<void> {
  // The end of a terminal is signalled to every process; the first one decides what happens then.
  process.on('SIGHUP', () => {});
  const signal = AbortSignal.any([stop, orphaned()]);
  try {
    const member = await begin(signal);
    report(member);
    await untilAborted(signal);
    await member.close();
  } catch (error) {
    // The first process tells people.
    if (!(error instanceof Signalled)) throw error;
  } finally {
    // The channel to the first process would keep this one running.
    if (process.connected) process.disconnect?.();
  }
}

/**
 * Is aborted when the first process is gone. Node would then exit at once and cut off running
 * requests.
 */
function orphaned(): AbortSignal {
  // A message to a first process that has just died fails with EPIPE. Unhandled, that error would
  // end this worker before it has left the embedded PostgreSQL, which would then run for ever.
  cluster.worker?.on('error', () => {});
  cluster.worker?.once('disconnect', () => {
    (cluster.worker as Worker).exitedAfterDisconnect = true;
  });
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort(new Error('The first process has ended.')));
  return gone.signal;
}

function report({ url = '', registry, notes }: Member): void {
  const send = (message: WorkerMessage) => process.send?.(message);
  process.on('message', async (message) => {
    if (message === COUNT) send({ counted: (await registry?.getMetricsAsJSON()) ?? [] });
  });
  send({ ready: url, notes });
}
