/** Each unit in milliseconds, and from how many of it on the next one is used. */
const UNITS = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 14],
  ['week', 604_800_000, 5],
  // The mean of the calendar's.
  ['month', 2_629_746_000, 18],
  ['year', 31_556_952_000, Number.POSITIVE_INFINITY],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { style: 'short' });

/**
 * "3 min. ago", "in 7 days", "now": to the nearest whole unit, so that a week from now is a week also
 * a moment later.
 */
export function ago(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  if (Math.abs(left) < UNITS[0][1]) return left > 10_000 ? 'in a moment' : 'now';
  for (const [unit, length, most] of UNITS) {
    const count = Math.round(left / length);
    if (Math.abs(count) < most) return relative.format(count, unit);
  }
  throw new Error('no unit is the last one');
}
