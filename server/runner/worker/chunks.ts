import { type TurnEvent, TurnFailed } from './runner.ts';

/** Chunks of a text are gathered for so long, or up to so many characters, into one event. */
const GATHER_MS = 100;
const GATHER_CHARACTERS = 2_048;
/** A text that waits behind others is gathered up to so many. */
const MOST_CHARACTERS = 32_768;
/** What is appended at once: events, and characters of them unless one alone has more. */
export const BATCH_EVENTS = 500;
export const BATCH_CHARACTERS = 1024 ** 2;

/** Nothing more is read of an agent while so much of it waits to be appended. */
export const MOST_PENDING = 4 * 1024 ** 2;
/** What an agent may write in one turn: characters of its events, and events. */
export const TURN_EVENT_BYTES = 64 * 1024 ** 2;
export const TURN_EVENTS = 50_000;

/** `messageId`: which message it is a piece of, where the agent says so. */
export interface Piece {
  type: 'message' | 'thought';
  text: string;
  messageId?: string;
}

/** Appends what an agent does, in order. */
export interface Chunks {
  /** A piece of what the agent writes; pieces of two messages never become one event. */
  text(piece: Piece): void;
  event(event: TurnEvent): void;
  /** Counts something that is written elsewhere as an event of the turn. */
  count(written: unknown): void;
  /** A promise while too much waits to be appended; it never rejects. */
  room(): Promise<void> | undefined;
  /** Waits until all of it is appended. Rejects if that failed. */
  end(): Promise<void>;
}

/** An event that waits to be appended, with its size in characters. */
interface Pending {
  event: TurnEvent;
  size: number;
}

/**
 * `append` is called with one batch after the other, each with what came in during the one before;
 * `onError` as soon as one fails, or once the agent has written more than a turn may. Nothing more
 * is appended then.
 */
export function gatherChunks(
  append: (...events: TurnEvent[]) => Promise<void>,
  onError: (error: unknown) => void,
): Chunks {
  let gathered: Piece | undefined;
  let timer: NodeJS.Timeout | undefined;
  let appending: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  const waiting: Pending[] = [];

  const written = { bytes: 0, events: 0 };
  let pending = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let full = false;

  /** Whether the turn may write so much more. */
  const mayWrite = (size: number, events: number): boolean => {
    if (full) return false;
    written.bytes += size;
    written.events += events;
    full = written.bytes > TURN_EVENT_BYTES || written.events > TURN_EVENTS;
    if (full) onError(new TurnFailed(TOO_MUCH));
    return !full;
  };
  const release = (size: number) => {
    pending -= size;
    if (pending >= MOST_PENDING) return;
    room?.resolve();
    room = undefined;
  };
  const nextBatch = (): Pending[] => {
    let count = 0;
    for (let size = 0; count < Math.min(waiting.length, BATCH_EVENTS); count++) {
      size += (waiting[count] as Pending).size;
      if (count > 0 && size > BATCH_CHARACTERS) break;
    }
    return waiting.splice(0, count);
  };
  const appendAll = async () => {
    while (waiting.length > 0) {
      const batch = nextBatch();
      try {
        await append(...batch.map(({ event }) => event));
      } catch (error) {
        failure = { error };
        batch.push(...waiting.splice(0));
        onError(error);
      }
      release(batch.reduce((total, { size }) => total + size, 0));
    }
    appending = undefined;
  };
  const send = (event: TurnEvent) => {
    const size = sizeOf(event);
    if (failure !== undefined || !mayWrite(size, 1)) return;
    pending += size;
    waiting.push({ event, size });
    appending ??= appendAll();
  };
  /** Whether this text is part now of an event that waits. */
  const joined = ({ type, text, messageId }: Piece): boolean => {
    const newest = waiting.at(-1);
    if (newest === undefined || newest.event.type !== type || !isText(newest.event)) return false;
    if (newest.event.payload.messageId !== messageId) return false;
    const whole = newest.event.payload.text + text;
    if (whole.length > MOST_CHARACTERS) return false;
    const size = sizeOf(text);
    if (!mayWrite(size, 0)) return true;
    pending += size;
    newest.size += size;
    newest.event = { type, payload: { ...newest.event.payload, text: whole } };
    return true;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === undefined) return;
    const { type, ...payload } = gathered;
    const piece = gathered;
    gathered = undefined;
    if (!joined(piece)) send({ type, payload });
  };

  return {
    text: (piece) => {
      const { type, messageId } = piece;
      if (gathered?.type !== type || gathered.messageId !== messageId) flush();
      gathered = { ...piece, text: (gathered?.text ?? '') + piece.text };
      if (gathered.text.length >= GATHER_CHARACTERS) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
    event: (event) => {
      flush();
      send(event);
    },
    count: (value) => void mayWrite(sizeOf(value), 1),
    room: () => {
      if (pending < MOST_PENDING) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    end: async () => {
      flush();
      await appending;
      if (failure !== undefined) throw failure.error;
    },
  };
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

const isText = (event: TurnEvent): event is TurnEvent & { payload: Omit<Piece, 'type'> } =>
  event.type === 'message' || event.type === 'thought';

const TOO_MUCH =
  'The agent wrote more than a turn may: its output was repeated or far too long. ' +
  'Send a message to go on.';
