/**
 * The building blocks of request schemas. They are plain JSON Schema (they go into OpenAPI 3.1 as
 * they are), and `readers/compile.ts` understands exactly these.
 */
import Type from 'typebox';

/** A UUID in any spelling of ruling 1.7; the handler gets lower case with dashes. */
export function uuid(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, format: 'uuid' });
}

export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/**
 * A text without control characters; the handler gets it trimmed and in NFC. The bounds count code
 * points (ruling 1.16).
 */
export function text(
  options: Type.TSchemaOptions & { minLength: number; maxLength: number },
): Type.TString {
  return Type.String({ ...options, pattern: NO_CONTROL_CHARACTERS });
}

export const NO_CONTROLS_BUT_LINES =
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$';

/**
 * A text of several lines, such as a message or a plan. The handler gets it as it was sent: spaces,
 * line ends and normalization forms matter in code (decision 17). Tabs, line feeds and carriage
 * returns are the only control characters. One of white space alone is too short. The bounds count
 * code points.
 */
export function multilineText(
  options: Type.TSchemaOptions & { minLength: number; maxLength: number },
): Type.TString {
  return Type.String({ ...options, pattern: NO_CONTROLS_BUT_LINES });
}

/**
 * An identifier such as the name of an icon: lower-case letters and digits, separated by single
 * hyphens.
 */
export function slug(options: Type.TSchemaOptions & { maxLength: number }): Type.TString {
  return Type.String({ minLength: 1, ...options, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' });
}

export const COLOR = '^#[0-9A-Fa-f]{6}$';

/** A colour, `#RRGGBB`; the handler gets it in upper case. */
export function color(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, maxLength: 7, pattern: COLOR });
}

/**
 * An e-mail address of at most 254 bytes. The handler gets it with its domain in lower case; the
 * part before the `@` keeps its case: whether two are one mailbox, `sameMailbox` says.
 */
export function email(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, format: 'email', maxLength: 254 });
}

/**
 * A date and time in ISO 8601 with its offset from UTC. The handler gets its canonical spelling in
 * UTC: `2026-11-21T08:15:30.123Z`, with six digits if it has microseconds.
 */
export function dateTime(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, format: 'date-time' });
}

/** A date, `2026-11-21`; the handler gets that string. */
export function date(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, format: 'date' });
}

/**
 * A boolean. In a body it is never coerced (ruling 1.9); in a query it may be `true`, `false` or
 * one of FastAPI's other spellings. A field with a `default` may be omitted.
 */
export function boolean(options: Type.TSchemaOptions & { default?: boolean } = {}): Type.TBoolean {
  return mayBeAbsent(Type.Boolean(options), options);
}

/** An integer, never coerced in a body. A field with a `default` may be omitted. */
export function integer(
  options: Type.TSchemaOptions & { minimum: number; maximum: number; default?: number },
): Type.TInteger {
  return mayBeAbsent(Type.Integer(options), options);
}

/**
 * Every decimal text that `amountReader` takes (decision 17), for those who check before they send:
 * without an exponent, at most two decimals and zeros after them. How many decimals one with an
 * exponent has, no pattern can tell.
 */
const DECIMAL =
  '^\\s*\\+?(?:[0-9]+(?:\\.[0-9]{0,2}0*)?|\\.[0-9]{1,2}0*|' +
  '(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)[eE][+-]?[0-9]+)\\s*$';

/**
 * An amount in USD, sent as a number or a decimal string (ruling 1.9); the handler gets micro-USD
 * as bigint.
 */
export function usdAmount(
  options: Type.TSchemaOptions & { minimum: number; maximum: number },
): Type.TUnsafe<bigint> {
  const { minimum, maximum, ...rest } = options;
  return Type.Unsafe<bigint>({
    ...rest,
    format: 'decimal',
    anyOf: [
      // Not `multipleOf: 0.01`, because validators divide floats and then refuse 19.99, 1.15
      // and 4.35.
      {
        type: 'number',
        minimum,
        maximum,
        description: 'At most two decimals; an amount with more is refused, never rounded.',
      },
      {
        type: 'string',
        pattern: DECIMAL,
        description: 'A decimal text, such as `12.50`, as Python’s Decimal reads it.',
      },
    ],
  });
}

/** One of a few words. */
export function oneOf<Values extends string[]>(
  values: readonly [...Values],
  options: Type.TSchemaOptions = {},
): Type.TEnum<Values> {
  return Type.Enum<Values>(values, { type: 'string', ...options });
}

/**
 * A list. In a query, its name is repeated for each item. A field with a `default` may be omitted.
 */
export function list<Item extends Type.TSchema>(
  item: Item,
  options: Type.TSchemaOptions & {
    minItems?: number;
    maxItems: number;
    default?: Type.Static<Item>[];
  },
): Type.TArray<Item> {
  return mayBeAbsent(Type.Array(item, options), options);
}

/** An object in a body, or the body itself. Unknown fields are refused (ruling 1.8). */
export function object<Properties extends Type.TProperties>(
  properties: Properties,
  options: Type.TObjectOptions = {},
): Type.TObject<Properties> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/**
 * For the document: a body has exactly one of these fields. The handler refuses one with none, or
 * more than one.
 */
export const exactlyOneOf = (...names: string[]): Type.TObjectOptions => ({
  oneOf: names.map((name) => ({ required: [name] })),
});

/** A field of a body that `null` clears. All other fields refuse null with their type error. */
export function nullable<Schema extends Type.TSchema>(
  schema: Schema,
  options: Type.TSchemaOptions = {},
): Type.TUnion<[Schema, Type.TNull]> {
  return Type.Union([schema, Type.Null()], options);
}

/** A read-only field that may be sent back, whatever it holds, and is dropped (ruling 4.3). */
export function ignored(
  options: Type.TSchemaOptions = {},
): Type.TOptional<Type.TUnsafe<undefined>> {
  return Type.Optional(Type.Unsafe<undefined>({ ...options, readOnly: true }));
}

/** Optional for the sender, always present for the handler, hence the type of the field itself. */
function mayBeAbsent<Schema extends Type.TSchema>(
  schema: Schema,
  options: { default?: unknown },
): Schema {
  return options.default === undefined ? schema : (Type.Optional(schema) as Schema);
}
