import { openThread } from '../../platform/threads/thread.ts';
import type { Paper } from './sheet.ts';

/**
 * Counts up with each change of what a document looks like, so that nobody keeps an older form of
 * it. `layout.test.ts` fails when it has to.
 */
export const LAYOUT = 3;

/** What is drawn: an invoice or note as the API shows it, as JSON. */
export interface Printout {
  item: string;
  paper: Paper;
}

/** Makes PDFs in a thread, because one takes tens of milliseconds, and the first of a script a second. */
export interface Printer {
  /** `parties`: ids of those for whom it is, such as a workspace and a person, who take turns. */
  print(printout: Printout, parties?: readonly string[]): Promise<Uint8Array>;
}

/** In milliseconds: how long one PDF may take, and how long the thread waits for the next one. */
interface Options {
  timeout?: number;
  idle?: number;
}

/** Starts no thread before there is something to print. */
export function openPrinter({ timeout = 30_000, idle = 60_000 }: Options = {}): Printer {
  const thread = openThread<Printout, Uint8Array>(new URL('./thread.ts', import.meta.url), {
    name: 'pdf',
    timeout,
    idle,
    memoryMb: 512,
  });
  return {
    print: (printout, parties) =>
      thread.run(printout, { parties }).catch((cause: unknown) => {
        throw new Error('An invoice could not be drawn.', { cause });
      }),
  };
}
