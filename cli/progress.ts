import type { OnStep, Step } from '../server/main/backup/progress.ts';
import { Failure } from './failure.ts';

const EVERY_MS = 200;
const MIB = 1024 * 1024;

/**
 * Shows on one line of a terminal what a long command does now; elsewhere, nothing. `signal` ends the
 * command before its next step. `clear` removes the line.
 */
export function progressOn(
  stderr: NodeJS.WritableStream,
  signal: AbortSignal,
): { onStep: OnStep; clear(): void } {
  const shows = 'isTTY' in stderr && stderr.isTTY === true;
  let shownAt = 0;
  const write = (line: string) => void stderr.write(`\r\u001b[K${line}`);
  return {
    onStep: (step) => {
      if (signal.aborted) throw new Failure('It was interrupted.');
      const now = performance.now();
      if (!shows || now - shownAt < EVERY_MS) return;
      shownAt = now;
      write(lineOf(step));
    },
    clear: () => {
      if (shows) write('');
    },
  };
}

function lineOf({ what, which, done, of, bytes }: Step): string {
  const share = of === undefined ? done : `${Math.floor(((done ?? 0) / Math.max(of, 1)) * 100)} %`;
  const written = bytes === undefined ? undefined : `${Math.floor(bytes / MIB)} MiB written`;
  return [what, which, share, written]
    .filter((part) => part !== undefined)
    .join(' · ')
    .slice(0, 100);
}
