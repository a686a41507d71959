import { useSyncExternalStore } from 'react';
import { watchAnswers } from './proof.ts';
import { queries } from './queries.ts';

/**
 * Whether the server can be reached. A request that failed is followed by a question; when that fails
 * as well, or the browser says that it has no network, the pages say that they may be out of date.
 */

const ASKED_EVERY_MS = 2_000;

let cut = false;
let asking = false;
const listeners = new Set<() => void>();

function set(now: boolean): void {
  if (cut === now) return;
  cut = now;
  for (const each of listeners) each();
  // What happened meanwhile.
  if (!cut) void queries.invalidateQueries();
}

/** Whether this answer comes from the server, and not from a proxy that does not reach it. */
const reached = ({ status }: Response): boolean => status !== 502 && status !== 504;

/** A request has had no answer. */
async function ask(): Promise<void> {
  if (asking) return;
  asking = true;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
    const up = await fetch('/auth/session', { signal: AbortSignal.timeout(10_000) }).then(
      reached,
      () => false,
    );
    set(!up);
    if (up) break;
  }
  asking = false;
}

/** The answer to a request, and whether there was one is noted. */
async function note(request: Request, answer: Promise<Response>): Promise<Response> {
  try {
    const response = await answer;
    if (reached(response)) set(false);
    else void ask();
    return response;
  } catch (error) {
    const left = request.signal.aborted && request.signal.reason?.name !== 'TimeoutError';
    if (!left) void ask();
    throw error;
  }
}

watchAnswers(note);
addEventListener('offline', () => {
  set(true);
  void ask();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the connection to the server is cut. */
export const useCut = (): boolean => useSyncExternalStore(subscribe, () => cut);
