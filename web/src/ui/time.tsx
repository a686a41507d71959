import { type ReactNode, useSyncExternalStore } from 'react';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** "3 min. ago", "in 2 days", "now". */
export function ago(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  return seconds > 10 ? 'in a moment' : 'now';
}

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
