import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from './database/database.ts';
import { connectSingle, type SingleConnectionOptions } from './database/single-connection.ts';

/** PostgreSQL starts or stops (57P03), or has no connection left (53300): it may accept one soon. */
const PASSES = ['57P03', '53300'];
const AGAIN_AFTER_MS = 500;

interface Options extends Pick<SingleConnectionOptions, 'connectTimeout' | 'signal'> {
  /** Told what is waited for, once that takes long. */
  say?: ((line: string) => void) | undefined;
  /** Milliseconds until that is said, and until the last refusal is thrown. */
  timeouts?: { say: number; refused: number };
}

/** Waits while a PostgreSQL refuses connections for a reason that passes. */
export async function untilAccepted(
  url: string,
  { say = () => {}, timeouts = { say: 5_000, refused: 60_000 }, ...options }: Options,
): Promise<void> {
  const began = performance.now();
  let said = false;
  for (;;) {
    try {
      const client = await connectSingle(url, options);
      return await client.end();
    } catch (error) {
      const waited = performance.now() - began;
      if (!PASSES.includes(sqlState(error)) || waited > timeouts.refused) throw error;
      if (!said && waited > timeouts.say)
        say(`PostgreSQL accepts no connection yet (${(error as Error).message}): waiting.`);
      said ||= waited > timeouts.say;
    }
    options.signal?.throwIfAborted();
    await pause(AGAIN_AFTER_MS, undefined, { signal: options.signal }).catch(() => {});
    options.signal?.throwIfAborted();
  }
}
