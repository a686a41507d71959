import { addAbortSignal, type Readable } from 'node:stream';
import { type ApiErrorKind, apiError } from './errors.ts';

const RETRY = { 'retry-after': '5' };

/** Too many files arrive at once, of everybody or of this caller. */
export const uploadsBusy = apiError(
  503,
  'uploads_busy',
  'Too many files are being uploaded, or too many of yours: wait until one ends, then try again',
  RETRY,
);

/** Too many files are being sent at once, to everybody or to this caller. */
export const downloadsBusy = apiError(
  503,
  'downloads_busy',
  'Too many files are being downloaded, or too many by you: wait until one ends, then try again',
  RETRY,
);

const TRANSFER_RESULTS = ['done', 'failed', 'refused'] as const;
type TransferResult = (typeof TRANSFER_RESULTS)[number];

/**
 * Files on their way, in one direction. They take as long as the other side likes, so they hold no
 * request slot; what they hold is bounded by their number, and no caller can take all of them.
 */
export interface Transfers {
  /** Runs `work` as one of them. Errors: that of this direction, without calling `work`. */
  run<Result>(userId: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * A stream that counts as one until it has ended, and is broken off after the longest time.
   * Errors: that of this direction, without calling `open`.
   */
  stream(userId: string, open: () => Readable): Readable;
  /** How many there are now. */
  running(): number;
  /** How many there were, by how they ended; `refused` did not begin. */
  readonly results: ReadonlyMap<TransferResult, number>;
  /** Breaks off all streams. */
  close(): void;
}

/** `limit`: at once, of which one user may have `perUser`. `life`: of a stream, in milliseconds. */
export function createTransfers(
  busy: ApiErrorKind,
  { limit, perUser, life = 1_800_000 }: { limit: number; perUser: number; life?: number },
): Transfers {
  const byUser = new Map<string, number>();
  const ending = new AbortController();
  const results = new Map<TransferResult, number>(TRANSFER_RESULTS.map((result) => [result, 0]));
  const count = (result: TransferResult) =>
    results.set(result, (results.get(result) as number) + 1);
  let running = 0;

  function enter(userId: string): (result: 'done' | 'failed') => void {
    const own = byUser.get(userId) ?? 0;
    if (ending.signal.aborted || running >= limit || own >= perUser) {
      count('refused');
      throw busy();
    }
    byUser.set(userId, own + 1);
    running++;
    return (result) => {
      count(result);
      const left = (byUser.get(userId) ?? 1) - 1;
      if (left === 0) byUser.delete(userId);
      else byUser.set(userId, left);
      running--;
    };
  }

  return {
    run: async (userId, work) => {
      const leave = enter(userId);
      let result: 'done' | 'failed' = 'failed';
      try {
        const value = await work();
        result = 'done';
        return value;
      } finally {
        leave(result);
      }
    },
    stream: (userId, open) => {
      const leave = enter(userId);
      const body = open();
      body.once('close', () => leave(body.readableEnded ? 'done' : 'failed'));
      return addAbortSignal(AbortSignal.any([ending.signal, AbortSignal.timeout(life)]), body);
    },
    running: () => running,
    results,
    close: () => ending.abort(),
  };
}
