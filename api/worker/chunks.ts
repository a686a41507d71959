import type { TurnEvent } from './runner.ts';

/** Chunks of a text are gathered for so long, or up to so many characters, into one event. */
const GATHER_MS = 100;
const GATHER_CHARACTERS = 2_048;

/** Appends what an agent does, in order. */
export interface Chunks {
  /** A piece of what the agent writes: `message` or `thought`. */
  text(type: 'message' | 'thought', text: string): void;
  event(event: TurnEvent): void;
  /** Waits until all of it is appended. Rejects if that failed. */
  end(): Promise<void>;
}

/** `append` is called with one batch after the other; `onError` as soon as one fails. */
export function gatherChunks(
  append: (...events: TurnEvent[]) => Promise<void>,
  onError: (error: unknown) => void,
): Chunks {
  let gathered: { type: 'message' | 'thought'; text: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const send = (...events: TurnEvent[]) => {
    last = last.then(() => append(...events));
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
    end: () => {
      flush();
      return last;
    },
  };
}
