import { type MessagePort, parentPort } from 'node:worker_threads';
import { receive, send } from './pipe.ts';
import type { Order } from './streams.ts';

/**
 * Answers what `openStreams` sends, in the thread: `answer` yields bytes for some work and for bytes
 * that it is sent. All that is under way takes turns where it waits, so it must not go on for long
 * without. An error is that of its work alone.
 */
export function serveStreams<Work>(
  answer: (work: Work, input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): void {
  const port = parentPort as MessagePort;
  port.on('message', ({ work, input, output }: Order<Work>) => {
    const stop = new AbortController();
    // Work that waits for its input yields nothing, by which it would learn it.
    output.on('message', (word) => {
      if (word === 'stop') stop.abort();
    });
    void send(output, answer(work, receive(input, stop.signal)))
      .catch(() => undefined)
      // Also where nothing of it was asked for.
      .finally(() => input.close());
  });
  port.postMessage('loaded');
}
