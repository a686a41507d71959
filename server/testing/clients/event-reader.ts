import { until } from '../harness/until.ts';

/** A frame of a stream (server-sent events). */
interface ReceivedFrame<Id> {
  id: Id;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever an event holds.
  data: any;
}

/** A stream of events that a test reads. */
interface OpenedStream<Id> {
  status: number;
  /** What was received so far, as text. */
  text(): string;
  frames: ReceivedFrame<Id>[];
  /** Resolves when this many frames have come. */
  until(count: number): Promise<ReceivedFrame<Id>[]>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  cut(): void;
}

/** `Id`: of a task's events, their numbers; of changes of tasks, positions. */
export async function openStream<Id extends number | string = number>(
  url: string,
  { key, cookie, lastEventId }: { key?: string; cookie?: string; lastEventId?: number | string },
): Promise<OpenedStream<Id>> {
  const leave = new AbortController();
  const reply = await fetch(url, {
    signal: leave.signal,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { cookie }),
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
  });
  const frames: ReceivedFrame<Id>[] = [];
  let all = '';
  let rest = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of reply.body as ReadableStream<Uint8Array>) {
      const piece = decoder.decode(bytes, { stream: true });
      all += piece;
      rest += piece;
      const parts = rest.split('\n\n');
      rest = parts.pop() as string;
      for (const part of parts) if (part.startsWith('id: ')) frames.push(frameOf<Id>(part));
    }
  };
  return {
    status: reply.status,
    text: () => all,
    frames,
    until: async (count) => {
      await until(`${count} frames`, () => frames.length >= count);
      return frames;
    },
    ended: read().catch(() => {}),
    cut: () => leave.abort(),
  };
}

function frameOf<Id>(part: string): ReceivedFrame<Id> {
  const [, id = '', event, data] = /^id: ([\d-]+)\nevent: (\w+)\ndata: (.*)$/.exec(part) ?? [];
  if (data === undefined) throw new Error(`no frame of an event: ${part}`);
  const read = /^\d+$/.test(id) ? Number(id) : id;
  return { id: read as Id, event: event as string, data: JSON.parse(data) };
}
