import type { TObject } from 'typebox';

/** The keywords of a schema that the attacks look at. */
export type Keywords = {
  format?: string;
  type?: string;
  enum?: unknown[];
  pattern?: string;
  readOnly?: boolean;
  maxLength?: number;
  maximum?: number;
  maxItems?: number;
  anyOf?: Keywords[];
  items?: Keywords;
  properties?: Record<string, Keywords>;
};

/** The members of an object schema, by name; one that may be null as the schema of its values. */
export const membersOf = (schema: TObject | undefined) =>
  Object.entries((schema?.properties ?? {}) as Record<string, Keywords>).map(
    ([name, member]) => [name, notNull(member)] as const,
  );

function notNull(schema: Keywords): Keywords {
  const values = schema.anyOf?.filter(({ type }) => type !== 'null');
  return values?.length === 1 ? (values[0] as Keywords) : schema;
}
