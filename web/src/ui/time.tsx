import { type ReactNode, useSyncExternalStore } from 'react';
import { ago } from './ago.ts';

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

// All times of the page are shown again at once, each half minute.
let shownAt = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    shownAt = Date.now();
    for (const each of listeners) each();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A moment, relative to now; the exact time is shown on hover. */
export function Time({ at }: { at: string }): ReactNode {
  useSyncExternalStore(subscribe, () => shownAt);
  return (
    <time dateTime={at} title={exact.format(new Date(at))} className="whitespace-nowrap">
      {ago(at, Date.now())}
    </time>
  );
}
