import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Paper } from './sheet.ts';
import { createTurns } from './turns.ts';

/**
 * Counts up with each change of what a document looks like, so that nobody keeps an older form of
 * it. `layout.test.ts` fails when it has to.
 */
export const LAYOUT = 2;

/** What is drawn: an invoice or note as the API shows it, as JSON. */
export interface Printout {
  item: string;
  paper: Paper;
}

/**
 * Makes PDFs in a thread of its own, because one takes tens of milliseconds, and the first of a
 * script a second. They are made one after another.
 */
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
  let thread: Worker | undefined;
  let leaving: NodeJS.Timeout | undefined;
  const turns = createTurns();

  function end(): void {
    thread?.terminate();
    thread = undefined;
  }

  function start(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url), {
      ...{ name: 'pdf', env: {}, execArgv: [] },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    // Whoever waits for it gets the error too; without a listener it would end the process.
    started.on('error', () => {});
    return started;
  }

  async function next(printout: Printout): Promise<Uint8Array> {
    clearTimeout(leaving);
    thread ??= start();
    thread.ref();
    try {
      thread.postMessage(printout);
      const [pdf] = await once(thread, 'message', { signal: AbortSignal.timeout(timeout) });
      thread.unref();
      leaving = setTimeout(end, idle).unref();
      return pdf as Uint8Array;
    } catch (cause) {
      end();
      throw new Error('An invoice could not be drawn.', { cause });
    }
  }

  return { print: (printout, parties = []) => turns.take(parties, () => next(printout)) };
}
