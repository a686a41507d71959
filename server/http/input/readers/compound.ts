import type { ErrorList, InputError, Location } from '../error-item.ts';
import { isExactNumber } from '../json.ts';
import { counted, type FieldKeywords, type FieldReader, refuse } from './reader.ts';

export const MISSING: InputError = { type: 'missing', msg: 'Field required' };
export const NOT_AN_OBJECT: InputError = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
};
const EXTRA: InputError = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
const LIST_TYPE: InputError = { type: 'list_type', msg: 'Input should be a valid list' };

/** One field of an object, of the path or of the query. */
export type Field = { name: string; required: boolean; fallback: unknown; read: FieldReader };

/**
 * Reads `fields` from the own properties of `source`; `whole` is the `input` of a missing field.
 */
export function readFields(
  fields: readonly Field[],
  source: Record<string, unknown>,
  whole: unknown,
  loc: Location,
  errors: ErrorList,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, required, fallback, read } of fields) {
    if (Object.hasOwn(source, name)) values[name] = read(source[name], [...loc, name], errors);
    else if (fallback !== undefined) values[name] = fallback;
    else if (required) errors.add(MISSING, [...loc, name], whole);
  }
  return values;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  );
}

/** Reads an object; `known` are the names of all fields, read or ignored (rulings 1.8, 4.3). */
export function objectReader(fields: readonly Field[], known: ReadonlySet<string>): FieldReader {
  return (value, loc, errors) => {
    if (!isJsonObject(value)) {
      errors.add(NOT_AN_OBJECT, loc, value);
      return undefined;
    }
    const values = readFields(fields, value, value, loc, errors);
    for (const name of Object.keys(value)) {
      if (!known.has(name)) errors.add(EXTRA, [...loc, name], value[name]);
    }
    return values;
  };
}

/** Reads a list. The items of a list that is too long are not read, as in Pydantic. */
export function listReader(
  { minItems = 0, maxItems = Infinity }: FieldKeywords,
  readItem: FieldReader,
): FieldReader {
  const sizeError = (type: string, bound: string, limits: object, length: number): InputError =>
    refuse(type, `List should have ${bound} after validation, not ${length}`, {
      field_type: 'List',
      ...limits,
      actual_length: length,
    }).error;
  const least = `at least ${counted(minItems, 'item')}`;
  const most = `at most ${counted(maxItems, 'item')}`;
  return (value, loc, errors) => {
    if (!Array.isArray(value)) {
      errors.add(LIST_TYPE, loc, value);
      return undefined;
    }
    const { length } = value;
    if (length > maxItems) {
      errors.add(sizeError('too_long', most, { max_length: maxItems }, length), loc, value);
      return undefined;
    }
    const before = errors.count;
    const items = value.map((item, index) => readItem(item, [...loc, index], errors));
    if (errors.count === before && length < minItems)
      errors.add(sizeError('too_short', least, { min_length: minItems }, length), loc, value);
    return items;
  };
}

/** Accepts null, and whatever `read` accepts. */
export function nullableReader(read: FieldReader): FieldReader {
  return (value, loc, errors) => (value === null ? null : read(value, loc, errors));
}
