import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { keptThread, type ThreadOptions } from './kept-thread.ts';
import { receive, SenderGone, SourceFailed, send } from './pipe.ts';

/**
 * A thread of its own for work that would keep everything else of the process waiting, and that has
 * many bytes to read or to yield. However much is under way, it takes turns in the one thread: what
 * waits for a slow reader keeps nothing else waiting.
 */
interface Streams<Work> {
  /**
   * Yields what the thread yields for `work` and the bytes of `input`. Nothing of the work goes on
   * any more once this has ended, whichever way.
   *
   * Throws what `input` throws; an Error with the message and the `code` of what the thread throws;
   * an Error when the thread ends; and the reason of `signal` once that is aborted.
   */
  open(work: Work, options?: StreamOptions): AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

interface StreamOptions {
  /** Is ended where the thread does not want all of it, at the latest when it yields again. */
  input?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/** What the thread is sent. */
export interface Order<Work> {
  work: Work;
  input: MessagePort;
  output: MessagePort;
}

/** `file`: calls `serveStreams`. No thread is started before there is work. */
export function openStreams<Work>(file: URL, options: ThreadOptions): Streams<Work> {
  const thread = keptThread(file, options);

  async function begin(signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    return thread.use();
  }

  return {
    async *open(work, { input = nothing(), signal } = {}) {
      const { worker, ended, done } = await begin(signal).catch(async (error) => {
        await input[Symbol.asyncIterator]().return?.();
        throw error;
      });
      const [toThread, fromThread] = [new MessageChannel(), new MessageChannel()];
      const ports = [toThread.port1, fromThread.port1];
      // The thread closes it when its work has ended.
      const over = once(fromThread.port1, 'close');
      const gone = () => {
        for (const port of ports) port.close();
      };
      if (ended.aborted) gone();
      ended.addEventListener('abort', gone, { once: true });
      const order: Order<Work> = { work, input: toThread.port2, output: fromThread.port2 };
      worker.postMessage(order, [order.input, order.output]);
      const sending = send(toThread.port1, input);
      // Whatever else ends first is thrown first.
      sending.catch(() => undefined);
      try {
        yield* receive(fromThread.port1, signal);
      } catch (error) {
        if (error instanceof SourceFailed)
          throw Object.assign(new Error(error.message), { code: error.fault.code });
        if (!(error instanceof SenderGone)) throw error;
        if (!ended.aborted) await once(ended, 'abort');
        throw new Error(`The thread "${options.name}" has ended.`, { cause: ended.reason });
      } finally {
        await over;
        ended.removeEventListener('abort', gone);
        done();
        // An input that nobody can interrupt holds up no stop.
        if (!signal?.aborted) await sending;
      }
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
