import type { ErrorList, InputError, Location } from '../error-item.ts';

/** The part of a request that a value comes from: the first element of its location. */
export type Place = 'path' | 'query' | 'body';

/** The value for the handler, or the reason why it is refused. */
export type Reading = { value: unknown } | { error: InputError };

/** Reads a scalar value. It never throws and does not know the value's location. */
export type ScalarReader = (value: unknown) => Reading;

/**
 * Reads any value, including lists and objects. Returns what the handler gets, or adds errors at
 * `loc` and below to `errors`.
 */
export type FieldReader = (value: unknown, loc: Location, errors: ErrorList) => unknown;

/** The keywords that the building blocks of `fields.ts` use. */
export type FieldKeywords = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: readonly string[];
  default?: unknown;
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  anyOf?: readonly FieldKeywords[];
};

export const refuse = (
  type: string,
  msg: string,
  ctx?: Record<string, unknown>,
): { error: InputError } => ({ error: ctx ? { type, msg, ctx } : { type, msg } });

/** `1 character`, `2 characters`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Gives a scalar reader its location in the request. */
export function located(read: ScalarReader): FieldReader {
  return (value, loc, errors) => {
    const result = read(value);
    if ('value' in result) return result.value;
    errors.add(result.error, loc, value);
    return undefined;
  };
}
