/** The day of a time in UTC, in words: `21 November 2026`. */
export const dayOf = (time: Date): string => DAY.format(time);

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
