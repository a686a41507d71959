import { sql } from '../../db/sql.ts';

/** For so long it is known what a reader has missed, in seconds; notes are kept for an hour. */
export const KNOWN_SECONDS = 3_300;

/**
 * So far, in seconds, a position may be ahead of the clock of the database, which may have been set
 * back since, or be that of a server that has taken over: so much longer notes are kept than known.
 */
export const AHEAD_SECONDS = 3_600 - KNOWN_SECONDS;

/** A moment of the database: a snapshot (`xmin:xmax:others`), and when it was, in seconds. */
export interface Moment {
  snapshot: string;
  at: number;
}

/** SQL: the columns of the moment of a statement. */
export const momentColumns = sql`
  pg_current_snapshot()::text as snapshot, extract(epoch from now())::float8 as at`;

/** The transaction below which all had ended. */
export const xminOf = ({ snapshot }: Moment): string => snapshot.slice(0, snapshot.indexOf(':'));

/**
 * What a reader continues after, as a text: the transaction below which it knows all, and the time
 * of that by the clock of the database.
 */
export const positionAt = (moment: Moment): string => `${xminOf(moment)}-${Math.floor(moment.at)}`;

export const POSITION = '^[0-9]{1,18}-[0-9]{1,11}$';

/** Of a text that fits `POSITION`. */
export function readPosition(text: string): { xmin: string; at: string } {
  const [xmin, at] = text.split('-') as [string, string];
  return { xmin, at };
}
