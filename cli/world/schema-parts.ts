import Type from 'typebox';

/** What the schema of a world file is made of. */

export function strict<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** A string with a rule of its own, which returns a sentence about what is wrong. */
export function checked(fault: (value: string) => string | undefined) {
  return Type.Refine(
    Type.String(),
    (value) => typeof value !== 'string' || fault(value) === undefined,
    (value) => fault(value) ?? '',
  );
}

/** Optional in the file and filled in when absent, hence the type of the field itself. */
export function filled<Schema extends Type.TSchema>(schema: Schema, value: unknown): Schema {
  return Type.Optional(Object.assign(schema, { default: value })) as unknown as Schema;
}

export function list<Item extends Type.TSchema>(item: Item): Type.TArray<Item> {
  return filled(Type.Array(item), []);
}
