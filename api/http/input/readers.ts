import type { TSchema } from 'typebox';
import { amountReader } from './amount.ts';
import type { InputError } from './error-item.ts';
import { parseUuid } from './uuid.ts';

/** Where a value stands in the request; the first element of an item's `loc`. */
export type Place = 'path' | 'query' | 'body';

/** The value for the handler, or why it is refused. Readers never throw and know no `loc`. */
export type FieldReader = (value: unknown) => { value: unknown } | { error: InputError };

/** The keywords the building blocks of `fields.ts` use. */
export type FieldKeywords = {
  type?: string;
  format?: string;
  enum?: readonly string[];
  default?: unknown;
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: readonly FieldKeywords[];
};

const refuse = (
  type: string,
  msg: string,
  ctx?: Record<string, unknown>,
): { error: InputError } => ({
  error: ctx ? { type, msg, ctx } : { type, msg },
});

const STRING_TYPE = refuse('string_type', 'Input should be a valid string');
const STRING_UNICODE = refuse(
  'string_unicode',
  'Input should be a valid string, unable to parse raw data as a unicode string',
);
const CONTROL_CHARACTERS = refuse(
  'control_characters',
  'String should not contain control characters',
);
const UUID_TYPE = refuse('uuid_type', 'UUID input should be a string, bytes or UUID object');
const BOOL_TYPE = refuse('bool_type', 'Input should be a valid boolean');
const INT_PARSING = refuse(
  'int_parsing',
  'Input should be a valid integer, unable to parse string as an integer',
);

const CONTROL = /\p{Cc}/u;

function readUuid(value: unknown): ReturnType<FieldReader> {
  if (typeof value !== 'string') return UUID_TYPE;
  if (!value.isWellFormed()) return STRING_UNICODE;
  const parsed = parseUuid(value);
  if (parsed.ok) return { value: parsed.uuid };
  return refuse('uuid_parsing', `Input should be a valid UUID, ${parsed.error}`, {
    error: parsed.error,
  });
}

function readBoolean(value: unknown): ReturnType<FieldReader> {
  return typeof value === 'boolean' ? { value } : BOOL_TYPE;
}

const characters = (count: number): string =>
  `${count} ${count === 1 ? 'character' : 'characters'}`;

function textReader({
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: FieldKeywords): FieldReader {
  const tooShort = refuse(
    'string_too_short',
    `String should have at least ${characters(minLength)}`,
    {
      min_length: minLength,
    },
  );
  const tooLong = refuse('string_too_long', `String should have at most ${characters(maxLength)}`, {
    max_length: maxLength,
  });
  return (value) => {
    if (typeof value !== 'string') return STRING_TYPE;
    if (!value.isWellFormed()) return STRING_UNICODE;
    const text = value.trim().normalize('NFC');
    const length = Array.from(text).length;
    if (length < minLength) return tooShort;
    if (length > maxLength) return tooLong;
    return CONTROL.test(text) ? CONTROL_CHARACTERS : { value: text };
  };
}

function enumReader(values: readonly string[]): FieldReader {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  const error = refuse('literal_error', `Input should be ${expected}`, { expected });
  return (value) => {
    if (typeof value !== 'string') return error;
    if (!value.isWellFormed()) return STRING_UNICODE;
    return values.includes(value) ? { value } : error;
  };
}

function integerReader({ minimum = -Infinity, maximum = Infinity }: FieldKeywords): FieldReader {
  const below = refuse(
    'greater_than_equal',
    `Input should be greater than or equal to ${minimum}`,
    {
      ge: minimum,
    },
  );
  const above = refuse('less_than_equal', `Input should be less than or equal to ${maximum}`, {
    le: maximum,
  });
  return (value) => {
    if (typeof value !== 'string' || !/^[+-]?\d+(?:\.0+)?$/.test(value.trim())) return INT_PARSING;
    const number = Number(value);
    if (number > maximum) return above;
    return number < minimum ? below : { value: number };
  };
}

function usdReader({ anyOf }: FieldKeywords): FieldReader {
  const { minimum, maximum } = anyOf?.[0] ?? {};
  if (minimum === undefined || maximum === undefined) throw new Error('an amount needs its bounds');
  const read = amountReader(minimum, maximum);
  return (value) => {
    const result = read(value);
    return typeof result === 'bigint' ? { value: result } : { error: result };
  };
}

/**
 * The reader of one field built from `fields.ts`.
 * @throws Error at start-up for a schema no reader understands, or a type that its place cannot carry
 */
export function readerOf(schema: TSchema, place: Place): FieldReader {
  const keywords = schema as FieldKeywords;
  if (keywords.format === 'uuid') return readUuid;
  if (keywords.enum) return enumReader(keywords.enum);
  if (keywords.type === 'string') return textReader(keywords);
  // Path and query carry text only, and nothing is coerced (ruling 1.9), so these would refuse every value there.
  if (keywords.type === 'boolean' && place === 'body') return readBoolean;
  if (keywords.format === 'decimal' && place === 'body') return usdReader(keywords);
  if (keywords.type === 'integer' && place !== 'body') return integerReader(keywords);
  throw new Error(`no reader for ${JSON.stringify(schema)} in the ${place}`);
}
