/**
 * The building blocks of request schemas. They are plain JSON Schema (they go into OpenAPI 3.1 as they are), and
 * `field-readers.ts` understands exactly these: `format: 'decimal'` marks an amount, `readOnly` an ignored field.
 */
import Type from 'typebox';

/** A UUID in any spelling of ruling 1.7; the handler gets lower case with dashes. */
export function uuid(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({ ...options, format: 'uuid' });
}

/** A text, trimmed and in NFC, without control characters; the bounds count code points (ruling 1.16). */
export function text(
  options: Type.TSchemaOptions & { minLength: number; maxLength: number },
): Type.TString {
  return Type.String({ ...options, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' });
}

/** A JSON boolean, never coerced (ruling 1.9). With a `default` the field may be absent and is then filled in. */
export function boolean(options: Type.TSchemaOptions & { default?: boolean } = {}): Type.TBoolean {
  return mayBeAbsent(Type.Boolean(options), options);
}

/** An integer of the query, such as `limit`. With a `default` it may be absent and is then filled in. */
export function integer(
  options: Type.TSchemaOptions & { minimum: number; maximum: number; default?: number },
): Type.TInteger {
  return mayBeAbsent(Type.Integer(options), options);
}

/** An amount in USD, sent as a number or a decimal string (ruling 1.9); the handler gets micro-USD as bigint. */
export function usdAmount(
  options: Type.TSchemaOptions & { minimum: number; maximum: number },
): Type.TUnsafe<bigint> {
  const { minimum, maximum, ...rest } = options;
  return Type.Unsafe<bigint>({
    ...rest,
    format: 'decimal',
    anyOf: [
      { type: 'number', minimum, maximum, multipleOf: 0.01 },
      { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,2})?$' },
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

/** A read-only field that may be sent back, whatever it holds, and is dropped (ruling 4.3). */
export function ignored(
  options: Type.TSchemaOptions = {},
): Type.TOptional<Type.TUnsafe<undefined>> {
  return Type.Optional(Type.Unsafe<undefined>({ ...options, readOnly: true }));
}

/** Optional for the sender, always there for the handler: hence the type of the field itself. */
function mayBeAbsent<Schema extends Type.TSchema>(
  schema: Schema,
  options: { default?: unknown },
): Schema {
  return options.default === undefined ? schema : (Type.Optional(schema) as Schema);
}
