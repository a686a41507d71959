import { amountReader } from '../amount.ts';
import { parseDecimal } from '../decimal.ts';
import { isExactNumber } from '../json.ts';
import { parseUuid } from '../uuid.ts';
import { type FieldKeywords, type Reading, refuse, type ScalarReader } from './reader.ts';
import { STRING_UNICODE } from './text.ts';

const UUID_TYPE = refuse('uuid_type', 'UUID input should be a string, bytes or UUID object');
const BOOL_TYPE = refuse('bool_type', 'Input should be a valid boolean');
const BOOL_PARSING = refuse(
  'bool_parsing',
  'Input should be a valid boolean, unable to interpret input',
);
const INT_TYPE = refuse('int_type', 'Input should be a valid integer');
const INT_FROM_FLOAT = refuse(
  'int_from_float',
  'Input should be a valid integer, got a number with a fractional part',
);
const INT_PARSING = refuse(
  'int_parsing',
  'Input should be a valid integer, unable to parse string as an integer',
);
const FINITE = refuse('finite_number', 'Input should be a finite number');

const isSafe = (bound: number | undefined): bound is number => Number.isSafeInteger(bound);

const TRUE = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', 'off', '0']);

export function readUuid(value: unknown): Reading {
  if (typeof value !== 'string') return UUID_TYPE;
  if (!value.isWellFormed()) return STRING_UNICODE;
  const parsed = parseUuid(value);
  if (parsed.ok) return { value: parsed.uuid };
  return refuse('uuid_parsing', `Input should be a valid UUID, ${parsed.error}`, {
    error: parsed.error,
  });
}

/** Reads a boolean in a JSON body, where nothing is coerced (ruling 1.9). */
export function readBoolean(value: unknown): Reading {
  return typeof value === 'boolean' ? { value } : BOOL_TYPE;
}

/** Reads a boolean in the query, in the spellings that FastAPI accepts. */
export function readBooleanText(value: unknown): Reading {
  const word = String(value).toLowerCase();
  if (TRUE.has(word)) return { value: true };
  return FALSE.has(word) ? { value: false } : BOOL_PARSING;
}

function boundsCheck({ minimum, maximum }: FieldKeywords) {
  if (!isSafe(minimum) || !isSafe(maximum)) throw new Error('an integer needs two safe bounds');
  const below = refuse(
    'greater_than_equal',
    `Input should be greater than or equal to ${minimum}`,
    { ge: minimum },
  );
  const above = refuse('less_than_equal', `Input should be less than or equal to ${maximum}`, {
    le: maximum,
  });
  return (number: number): Reading => {
    if (number > maximum) return above;
    // -0 becomes 0, because JSON and SQL would treat it differently.
    return number < minimum ? below : { value: number === 0 ? 0 : number };
  };
}

/**
 * Reads an integer in a JSON body. As in JSON Schema, `1.0` is an integer; strings and booleans are
 * not (ruling 1.9).
 */
export function integerReader(keywords: FieldKeywords): ScalarReader {
  const inBounds = boundsCheck(keywords);
  return (value) => {
    // A number that JavaScript would round is a fraction or exceeds every bound.
    if (isExactNumber(value)) {
      const { sign = 1n, exponent = -1 } = parseDecimal(value.rawJSON) ?? {};
      return exponent < 0 ? INT_FROM_FLOAT : inBounds(Number(sign) * Infinity);
    }
    if (typeof value !== 'number') return INT_TYPE;
    if (!Number.isFinite(value)) return FINITE;
    return Number.isInteger(value) ? inBounds(value) : INT_FROM_FLOAT;
  };
}

/** Reads an integer in the path or the query. */
export function integerTextReader(keywords: FieldKeywords): ScalarReader {
  const inBounds = boundsCheck(keywords);
  return (value) =>
    typeof value === 'string' && /^[+-]?\d+(?:\.0+)?$/.test(value.trim())
      ? inBounds(Number(value))
      : INT_PARSING;
}

export function usdReader({ anyOf }: FieldKeywords): ScalarReader {
  const { minimum, maximum } = anyOf?.[0] ?? {};
  if (minimum === undefined || maximum === undefined) throw new Error('an amount needs its bounds');
  const read = amountReader(minimum, maximum);
  return (value) => {
    const result = read(value);
    return typeof result === 'bigint' ? { value: result } : { error: result };
  };
}
