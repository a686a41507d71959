import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk';
import type { PodProcess } from '../../platform/pods/pod.ts';

/** A line longer than this is no message; it is dropped as it arrives. */
const MAX_LINE = 16 * 1024 ** 2;

/** Nothing more is read of an agent while so many of its requests are not answered. */
export const MOST_UNANSWERED = 1_000;

export interface Reading {
  onUpdate(params: unknown): void;
  onNotice(line: string): void;
  /** While it returns a promise, nothing more is read. */
  room(): Promise<void> | undefined;
  /** An agent that ends is read to its end, room or not: some drivers see its end only there. */
  ending: AbortSignal;
}

/**
 * Messages of ACP over the standard input and output of a process, one a line. Whatever is not a
 * message goes to `onNotice`: agents and the programs that start them print banners, warnings and
 * progress there, and an error as the answer would only confuse them.
 *
 * While there is no room for more, what the agent writes waits in its pipe, and the agent with it.
 *
 * Updates go to `onUpdate` at once, in their order and before the result that follows them: the SDK
 * would reject those that its schema does not know.
 */
export function transportOf(
  process: PodProcess,
  { onUpdate, onNotice, room, ending }: Reading,
): Stream {
  let unanswered = 0;
  let answered: PromiseWithResolvers<void> | undefined;
  const onAnswer = () => {
    unanswered = Math.max(0, unanswered - 1);
    if (unanswered >= MOST_UNANSWERED) return;
    answered?.resolve();
    answered = undefined;
  };
  const answers = () => {
    if (unanswered < MOST_UNANSWERED) return undefined;
    answered ??= Promise.withResolvers();
    return answered.promise;
  };
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const end = () => {
        try {
          controller.close();
        } catch {
          // It was closed already.
        }
      };
      eachLine(process.stdout, MAX_LINE, (line) => {
        const message = parse(line);
        if (message === undefined) onNotice(line);
        else if ('method' in message && message.method === methods.client.session.update)
          onUpdate('params' in message ? message.params : undefined);
        else {
          if (isToAnswer(message)) unanswered++;
          controller.enqueue(message);
        }
      });
      process.stdout.on('data', () => {
        const wait = ending.aborted ? undefined : (room() ?? answers());
        if (wait === undefined) return;
        process.stdout.pause();
        void wait.then(() => process.stdout.resume());
      });
      ending.addEventListener('abort', () => process.stdout.resume(), { once: true });
      process.stdout.on('close', end).on('error', end);
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise((resolve, reject) => {
        const line = `${JSON.stringify(message)}\n`;
        process.stdin.write(line, (error) => {
          if (!('method' in message)) onAnswer();
          if (error) reject(error);
          else resolve();
        });
      }),
  });
  return { readable, writable };
}

/** Calls `use` with each line that is not empty, also the last one without an end. */
export function eachLine(
  stream: NodeJS.ReadableStream,
  maxLength: number,
  use: (line: string) => void,
): void {
  let rest = '';
  let dropped = false;
  const line = (text: string) => {
    if (!dropped && text.trim() !== '') use(text);
    dropped = false;
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = chunk.split('\n');
    for (const part of parts.slice(0, -1)) {
      line(rest + part);
      rest = '';
    }
    rest += parts.at(-1);
    if (rest.length > maxLength) {
      dropped = true;
      rest = '';
    }
  });
  stream.on('end', () => line(rest));
}

/** Also what is neither a request, nor a notification, nor an answer: the SDK says so. */
const isToAnswer = (message: AnyMessage): boolean =>
  'method' in message ? 'id' in message : !('result' in message || 'error' in message);

function parse(line: string): AnyMessage | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const message = JSON.parse(line);
    return message.jsonrpc === '2.0' ? message : undefined;
  } catch {
    return undefined;
  }
}
