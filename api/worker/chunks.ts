import { type TurnEvent, TurnFailed } from './runner.ts';

/** Chunks of a text are gathered for so long, or up to so many characters, into one event. */
const GATHER_MS = 100;
const GATHER_CHARACTERS = 2_048;

/** Nothing more is read of an agent while so much of it waits to be appended. */
export const MOST_PENDING = 4 * 1024 ** 2;
/** What an agent may write in one turn: characters of its events, and events. */
export const TURN_EVENT_BYTES = 64 * 1024 ** 2;
export const TURN_EVENTS = 50_000;

/** Appends what an agent does, in order. */
export interface Chunks {
  /** A piece of what the agent writes: `message` or `thought`. */
  text(type: 'message' | 'thought', text: string): void;
  event(event: TurnEvent): void;
  /** Counts something that is written elsewhere as an event of the turn. */
  count(written: unknown): void;
  /** A promise while too much waits to be appended; it never rejects. */
  room(): Promise<void> | undefined;
  /** Waits until all of it is appended. Rejects if that failed. */
  end(): Promise<void>;
}

/**
 * `append` is called with one batch after the other; `onError` as soon as one fails, or once the
 * agent has written more than a turn may. Nothing more is appended then.
 */
export function gatherChunks(
  append: (...events: TurnEvent[]) => Promise<void>,
  onError: (error: unknown) => void,
): Chunks {
  let gathered: { type: 'message' | 'thought'; text: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const written = { bytes: 0, events: 0 };
  let pending = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let full = false;

  /** The size of a value; undefined when the turn may not write it any more. */
  const count = (value: unknown): number | undefined => {
    if (full) return undefined;
    const size = JSON.stringify(value).length;
    written.bytes += size;
    written.events++;
    full = written.bytes > TURN_EVENT_BYTES || written.events > TURN_EVENTS;
    if (full) onError(new TurnFailed(TOO_MUCH));
    return full ? undefined : size;
  };
  const release = (size: number) => {
    pending -= size;
    if (pending >= MOST_PENDING) return;
    room?.resolve();
    room = undefined;
  };
  const send = (event: TurnEvent) => {
    const size = count(event);
    if (size === undefined) return;
    pending += size;
    last = last.then(() => append(event)).finally(() => release(size));
    last.catch(onError);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === undefined) return;
    const { type, text } = gathered;
    gathered = undefined;
    send({ type, payload: { text } });
  };

  return {
    text: (type, text) => {
      if (gathered !== undefined && gathered.type !== type) flush();
      gathered = { type, text: (gathered?.text ?? '') + text };
      if (gathered.text.length >= GATHER_CHARACTERS) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
    event: (event) => {
      flush();
      send(event);
    },
    count: (value) => void count(value),
    room: () => {
      if (pending < MOST_PENDING) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    end: () => {
      flush();
      return last;
    },
  };
}

const TOO_MUCH =
  'The agent wrote more than a turn may: its output was repeated or far too long. ' +
  'Send a message to go on.';
