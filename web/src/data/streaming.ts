import { inPlace } from './stream-places.ts';
import { backOnline } from './waits.ts';

/** What pages that follow a stream have in common. */

/** A tab that is hidden for so long gives its stream back. */
const HIDDEN_MS = 60_000;

/**
 * Runs `work` until the tab is hidden or the network is back after a cut, if the browser has a place
 * for a stream. A connection from before the cut may be dead without a sign of it.
 */
export const withPlace = (
  left: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  places?: readonly string[],
): Promise<boolean> =>
  inPlace(async (lost) => {
    const ends = AbortSignal.any([left, lost, hiddenFor(HIDDEN_MS, left), backOnline()]);
    await work(ends).catch((error) => {
      if (!ends.aborted) throw error;
    });
  }, places);

function hiddenFor(time: number, left: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => hidden.abort(), time);
  };
  const end = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
  document.addEventListener('visibilitychange', look);
  left.addEventListener('abort', end, { once: true });
  hidden.signal.addEventListener('abort', end, { once: true });
  look();
  return hidden.signal;
}
