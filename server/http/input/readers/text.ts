import { BRANCH_NAME, LONGEST_BRANCH_NAME } from '../branch-names.ts';
import type { InputError } from '../error-item.ts';
import { nameFault } from '../names.ts';
import { counted, type FieldKeywords, type Reading, refuse, type ScalarReader } from './reader.ts';

export const STRING_TYPE = refuse('string_type', 'Input should be a valid string');
export const STRING_UNICODE = refuse(
  'string_unicode',
  'Input should be a valid string, unable to parse raw data as a unicode string',
);
const CONTROL_CHARACTERS = refuse(
  'control_characters',
  'String should not contain control characters',
);

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u;

/** Checks a length in code points: undefined if it is within the bounds. */
function lengthCheck({ minLength = 0, maxLength = Infinity }: FieldKeywords) {
  const tooShort = refuse(
    'string_too_short',
    `String should have at least ${counted(minLength, 'character')}`,
    { min_length: minLength },
  );
  const tooLong = refuse(
    'string_too_long',
    `String should have at most ${counted(maxLength, 'character')}`,
    { max_length: maxLength },
  );
  return (text: string) => {
    const length = Array.from(text).length;
    if (length < minLength) return tooShort;
    return length > maxLength ? tooLong : undefined;
  };
}

/**
 * Reads a text: trimmed, in NFC, without control characters (ruling 1.16). `faultOf` checks further
 * rules after these.
 */
export function textReader(
  keywords: FieldKeywords,
  faultOf: (text: string) => InputError | undefined = () => undefined,
): ScalarReader {
  const outOfBounds = lengthCheck(keywords);
  return (value) => {
    if (typeof value !== 'string') return STRING_TYPE;
    if (!value.isWellFormed()) return STRING_UNICODE;
    const text = value.trim().normalize('NFC');
    const refused = outOfBounds(text) ?? (CONTROL.test(text) ? CONTROL_CHARACTERS : undefined);
    if (refused !== undefined) return refused;
    const error = faultOf(text);
    return error === undefined ? { value: text } : { error };
  };
}

/** Reads a text of several lines, which stays as it is (decision 17). */
export function multilineReader(keywords: FieldKeywords): ScalarReader {
  const outOfBounds = lengthCheck(keywords);
  return (value) => {
    if (typeof value !== 'string') return STRING_TYPE;
    if (!value.isWellFormed()) return STRING_UNICODE;
    const refused = outOfBounds(value.trim() === '' ? '' : value);
    if (refused !== undefined) return refused;
    return CONTROL_BUT_LINES.test(value) ? CONTROL_CHARACTERS : { value };
  };
}

/** Reads a name that people tell apart by eye. */
export function nameReader(keywords: FieldKeywords): ScalarReader {
  return textReader(keywords, nameError);
}

function nameError(text: string): InputError | undefined {
  const fault = nameFault(text);
  if (fault === undefined) return undefined;
  const { advice, ...error } = fault;
  return { ...error, msg: `Text ${advice}` };
}

/** Reads a text of a fixed form, which is not trimmed. */
export function patternReader(
  keywords: FieldKeywords & { pattern: string },
  normalize = (text: string) => text,
): ScalarReader {
  const { pattern } = keywords;
  const outOfBounds = lengthCheck(keywords);
  const expression = new RegExp(pattern, 'u');
  const mismatch = refuse('string_pattern_mismatch', `String should match pattern '${pattern}'`, {
    pattern,
  });
  return (value) => {
    if (typeof value !== 'string') return STRING_TYPE;
    if (!value.isWellFormed()) return STRING_UNICODE;
    return outOfBounds(value) ?? (expression.test(value) ? { value: normalize(value) } : mismatch);
  };
}

const BRANCH_NAME_TOO_LONG = refuse(
  'branch_name_too_long',
  `The name of a branch should have at most ${LONGEST_BRANCH_NAME} bytes in UTF-8`,
);

/** Reads the name of a branch, which a host keeps as bytes. */
export function branchNameReader(keywords: FieldKeywords): ScalarReader {
  const read = patternReader({ ...keywords, pattern: BRANCH_NAME });
  return (value) => {
    if (
      typeof value === 'string' &&
      Array.from(value).length <= LONGEST_BRANCH_NAME &&
      Buffer.byteLength(value) > LONGEST_BRANCH_NAME
    )
      return BRANCH_NAME_TOO_LONG;
    const reading = read(value);
    const error = 'error' in reading ? undefined : nameError(String(reading.value));
    return error === undefined ? reading : { error };
  };
}

/** Reads one of a few words. */
export function enumReader(values: readonly string[]): ScalarReader {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  const error = refuse('literal_error', `Input should be ${expected}`, { expected });
  return (value): Reading => {
    if (typeof value !== 'string') return error;
    if (!value.isWellFormed()) return STRING_UNICODE;
    return values.includes(value) ? { value } : error;
  };
}
