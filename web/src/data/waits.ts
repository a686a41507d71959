/** What pages that read again and again wait for. */

/** Aborts when the network is back after a cut. */
export function backOnline(): AbortSignal {
  const online = new AbortController();
  addEventListener('online', () => online.abort(), { once: true });
  return online.signal;
}

/** Until the tab is looked at. */
export const visible = (left: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!document.hidden || left.aborted) return resolve();
    const look = () => {
      if (document.hidden && !left.aborted) return;
      document.removeEventListener('visibilitychange', look);
      left.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    left.addEventListener('abort', look);
  });

/** For some milliseconds. */
export const pause = (time: number, left: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      left.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, time);
    left.addEventListener('abort', end);
  });
