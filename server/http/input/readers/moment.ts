import { type Reading, refuse } from './reader.ts';
import { STRING_UNICODE } from './text.ts';

/**
 * Dates and times, read as Pydantic v2 does (with the Rust crate `speedate`) and refused with its
 * messages. One difference: a number, or a string of digits, is not a timestamp (ruling 1.9).
 */

const DATETIME_TYPE = refuse('datetime_type', 'Input should be a valid datetime');
const DATE_TYPE = refuse('date_type', 'Input should be a valid date');
const TIMEZONE_AWARE = refuse('timezone_aware', 'Input should have timezone info');
const DATE_INEXACT = refuse(
  'date_from_datetime_inexact',
  'Datetimes provided to dates should have zero time - e.g. be exact dates',
);

const withError = (type: string, msg: string, error: string): Reading =>
  refuse(type, `${msg}, ${error}`, { error });

const notADateTime = (error: string) =>
  withError('datetime_from_date_parsing', 'Input should be a valid datetime or date', error);
const notADate = (error: string) =>
  withError('date_from_datetime_parsing', 'Input should be a valid date or datetime', error);
const yearOutOfRange = (year: number) =>
  withError('datetime_parsing', 'Input should be a valid datetime', `year ${year} is out of range`);

/** One step of parsing from left to right, and the error if it does not match. */
type Step = [expression: RegExp, error: string];

const DATE: Step[] = [
  [/\d{4}/y, 'invalid character in year'],
  [/-/y, 'invalid date separator, expected `-`'],
  [/\d\d/y, 'invalid character in month'],
  [/-/y, 'invalid date separator, expected `-`'],
  [/\d\d/y, 'invalid character in day'],
];
const SEPARATOR: Step[] = [
  [/[Tt_ ]/y, 'invalid datetime separator, expected `T`, `t`, `_` or space'],
];
const HOUR_AND_MINUTE: Step[] = [
  [/\d\d/y, 'invalid character in hour'],
  [/:/y, 'invalid time separator, expected `:`'],
  [/\d\d/y, 'invalid character in minute'],
];
const SECOND: Step[] = [[/\d\d/y, 'invalid character in second']];
const FRACTION: Step[] = [[/\d+/y, 'second fraction digits missing after `.`']];
const SIGN: Step[] = [[/[+\u2212-]/y, 'invalid timezone sign']];
const OFFSET: Step[] = [
  [/\d\d/y, 'invalid timezone hour'],
  [/:?/y, ''],
  [/\d\d/y, 'invalid timezone minute'],
];

const TOO_SHORT = 'input is too short';
const EXTRA = 'unexpected extra characters at the end of the input';

class ParseError extends Error {}

/** Parses a text from left to right. Methods throw a ParseError with a message of `speedate`. */
class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The parts that the steps matched, one after the other. */
  take(steps: Step[]): string[] {
    return steps.map(([expression, error]) => {
      const found = this.takeIf(expression);
      if (found === undefined) throw new ParseError(error);
      return found;
    });
  }

  takeIf(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  /** `speedate` counts bytes. */
  needs(bytes: number): void {
    if (Buffer.byteLength(this.text.slice(this.at)) < bytes) throw new ParseError(TOO_SHORT);
  }

  end(): void {
    if (this.at < this.text.length) throw new ParseError(EXTRA);
  }
}

function inRange(value: string, least: number, most: number, error: string): void {
  if (Number(value) < least || Number(value) > most) throw new ParseError(error);
}

/** Takes `YYYY-MM-DD`, which must be in the calendar. */
function takeDate(cursor: Cursor): string {
  cursor.needs(10);
  const [year = '', , month = '', , day = ''] = cursor.take(DATE);
  inRange(month, 1, 12, 'month value is outside expected range of 1-12');
  const last = new Date(`${year}-${month}-01T00:00:00Z`);
  last.setUTCMonth(Number(month), 0);
  inRange(day, 1, last.getUTCDate(), 'day value is outside expected range');
  return `${year}-${month}-${day}`;
}

type Time = { clock: string; micros: string; offset: string | undefined };

/** Takes the time and the offset from UTC, if present, as `+hh:mm`. */
function takeTime(cursor: Cursor): Time {
  cursor.needs(5);
  const [hour = '', , minute = ''] = cursor.take(HOUR_AND_MINUTE);
  inRange(hour, 0, 23, 'hour value is outside expected range of 0-23');
  inRange(minute, 0, 59, 'minute value is outside expected range of 0-59');
  let second = '00';
  let fraction = '';
  if (cursor.takeIf(/:/y)) {
    [second = ''] = cursor.take(SECOND);
    inRange(second, 0, 59, 'second value is outside expected range of 0-59');
    if (cursor.takeIf(/[.,]/y)) [fraction = ''] = cursor.take(FRACTION);
  }
  const offset = takeOffset(cursor);
  cursor.end();
  // Digits after microseconds are dropped, as in Python.
  return {
    clock: `${hour}:${minute}:${second}`,
    micros: fraction.padEnd(6, '0').slice(0, 6),
    offset,
  };
}

function takeOffset(cursor: Cursor): string | undefined {
  if (cursor.at === cursor.text.length) return undefined;
  if (cursor.takeIf(/[Zz]/y)) return '+00:00';
  const [sign] = cursor.take(SIGN);
  const [hour = '', , minute = ''] = cursor.take(OFFSET);
  inRange(minute, 0, 59, 'timezone minute value is outside expected range of 0-59');
  inRange(hour, 0, 23, 'timezone offset must be less than 24 hours');
  return `${sign === '+' ? '+' : '-'}${hour}:${minute}`;
}

/** The result of `parse`, or the message of its ParseError. */
function attempt<Result>(parse: () => Result): { ok: Result } | { error: string } {
  try {
    return { ok: parse() };
  } catch (error) {
    if (error instanceof ParseError) return { error: error.message };
    throw error;
  }
}

function parseDate(text: string): { ok: string } | { error: string } {
  return attempt(() => {
    const cursor = new Cursor(text);
    const date = takeDate(cursor);
    cursor.end();
    return date;
  });
}

function parseDateTime(text: string): { ok: { date: string } & Time } | { error: string } {
  return attempt(() => {
    const cursor = new Cursor(text);
    const date = takeDate(cursor);
    cursor.take(SEPARATOR);
    return { date, ...takeTime(cursor) };
  });
}

/**
 * Reads a date and time in ISO 8601 with an offset. The handler gets its canonical spelling in UTC:
 * `2026-11-21T08:15:30.123Z`, with six digits if it has microseconds. A date alone is refused
 * because it has no offset.
 */
export function readDateTime(value: unknown): Reading {
  if (typeof value !== 'string') return DATETIME_TYPE;
  if (!value.isWellFormed()) return STRING_UNICODE;
  const moment = parseDateTime(value);
  if ('error' in moment) {
    const date = parseDate(value);
    return 'error' in date ? notADateTime(date.error) : TIMEZONE_AWARE;
  }
  const { date, clock, micros, offset } = moment.ok;
  if (date.startsWith('0000')) return yearOutOfRange(0);
  if (offset === undefined) return TIMEZONE_AWARE;
  const utc = new Date(`${date}T${clock}${offset}`);
  const year = utc.getUTCFullYear();
  if (year < 1 || year > 9999) return yearOutOfRange(year);
  const digits = micros.endsWith('000') ? micros.slice(0, 3) : micros;
  return { value: `${utc.toISOString().slice(0, 19)}.${digits}Z` };
}

/**
 * Reads a date, `2026-11-21`. As in Pydantic, a date and time is accepted if its time is midnight;
 * its offset is ignored.
 */
export function readDate(value: unknown): Reading {
  if (typeof value !== 'string') return DATE_TYPE;
  if (!value.isWellFormed()) return STRING_UNICODE;
  const date = parseDate(value);
  const moment = 'error' in date ? parseDateTime(value) : undefined;
  if (moment !== undefined && 'error' in moment) return notADate(moment.error);
  if (moment !== undefined && `${moment.ok.clock}.${moment.ok.micros}` !== '00:00:00.000000')
    return DATE_INEXACT;
  const day = moment === undefined ? (date as { ok: string }).ok : moment.ok.date;
  if (!day.startsWith('0000')) return { value: day };
  return withError(
    'date_parsing',
    'Input should be a valid date in the format YYYY-MM-DD',
    'year 0 is out of range',
  );
}
