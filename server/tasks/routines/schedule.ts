import { Cron } from 'croner';

/** A schedule is five fields of cron; what runs more often than this is refused. */
const LEAST_MINUTES = 15;
/** How many of its next times are looked at for that: two days of quarters of an hour. */
const LOOKED_AT = 200;
/** Five fields, without seconds, names of times, or questions. */
const FORM = /^[0-9A-Za-z*,/#-]+( [0-9A-Za-z*,/#-]+){4}$/;

type Schedule =
  | { ok: true; next: Date }
  | { ok: false; because: 'unreadable' | 'never' | 'too_often' | 'time_zone' };

const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
};

/** Reads a schedule, and when it is next due after a time. */
export function readSchedule(text: string, timeZone: string, after: Date): Schedule {
  if (!isTimeZone(timeZone)) return { ok: false, because: 'time_zone' };
  const cron = parsed(text, timeZone);
  if (cron === undefined) return { ok: false, because: 'unreadable' };
  const next = cron.nextRun(after);
  if (next === null) return { ok: false, because: 'never' };
  return isTooOften(text, after) ? { ok: false, because: 'too_often' } : { ok: true, next };
}

/** By a clock that is never changed: twice a year, times are closer together, which does no harm. */
function isTooOften(text: string, after: Date): boolean {
  const cron = parsed(text, 'UTC');
  let before = cron?.nextRun(after);
  for (let looked = 0; looked < LOOKED_AT && before; looked++) {
    const then = cron?.nextRun(before);
    if (then && then.getTime() - before.getTime() < LEAST_MINUTES * 60_000) return true;
    before = then;
  }
  return false;
}

/** When a schedule that was accepted is next due; undefined when it never is again. */
export const nextTime = (text: string, timeZone: string, after: Date): Date | undefined =>
  parsed(text, timeZone)?.nextRun(after) ?? undefined;

function parsed(text: string, timezone: string): Cron | undefined {
  if (!FORM.test(text)) return undefined;
  try {
    return new Cron(text, { timezone, paused: true, mode: '5-part' });
  } catch {
    return undefined;
  }
}
