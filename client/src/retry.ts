import { GuildhallError } from './error.ts';

/** Longer waits are for the caller to decide. */
const LONGEST_WAIT_MS = 60_000;

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 8_000;

/** Statuses that say "not now". */
const PASSING = new Set([0, 408, 429, 502, 503, 504]);

/**
 * Repeats what failed for a passing reason: no answer, a limit, a server that is starting or busy,
 * or the same write that is still running.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failed = 0; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (failed >= retries || !isPassing(error)) throw error;
      await sleep(error.retryAfter ?? backOff(failed, FIRST_WAIT_MS, LAST_WAIT_MS), signal);
    }
  }
}

function isPassing(error: unknown): error is GuildhallError {
  if (!(error instanceof GuildhallError)) return false;
  const { status, code, retryAfter = 0 } = error;
  return (
    (PASSING.has(status) || code === 'idempotency_in_progress') && retryAfter <= LONGEST_WAIT_MS
  );
}

/** How long to wait after so many failures, in milliseconds: doubled each time, and scattered. */
export function backOff(failed: number, first: number, last: number): number {
  return Math.min(last, first * 2 ** failed) * (0.5 + Math.random() / 2);
}

/** Rejects with the reason of the signal when it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const aborted = () => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted);
  });
}
