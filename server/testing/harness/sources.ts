import type { EventSource } from '../../http/event-stream.ts';

/** A source of numbered frames that come at this interval, in milliseconds, without end. */
export function ticks(interval: number, frame: (n: number) => string) {
  const state = { started: false, stopped: false, sent: 0 };
  let due = 0;
  let timer: NodeJS.Timeout | undefined;
  const source: EventSource = {
    start: (wake) => {
      state.started = true;
      const tick = () => {
        due++;
        wake();
      };
      timer = setInterval(tick, interval);
      timer.unref();
    },
    next: () => (state.sent < due ? Buffer.from(frame(++state.sent)) : undefined),
    stop: () => {
      state.stopped = true;
      clearInterval(timer);
    },
  };
  return { source, state };
}
