import type { TSchema } from 'typebox';
import type { Route } from '../../http/route.ts';

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
  minLength?: number;
  anyOf?: Keywords[];
  items?: Keywords;
  properties?: Record<string, Keywords>;
  additionalProperties?: boolean | Keywords;
  /** Of an object whose names are data. */
  patternProperties?: Record<string, Keywords>;
};

/**
 * The members of an object schema, by name; one that may be null as the schema of its values. Of
 * a list, the members of its items.
 */
export function membersOf(schema: TSchema | undefined): (readonly [string, Keywords])[] {
  const { items, properties = items?.properties ?? {} } = (schema ?? {}) as Keywords;
  return Object.entries(properties).map(([name, member]) => [name, notNull(member)] as const);
}

/** Whether the body of an operation is a list, whose first item the attacks change instead of it. */
export const takesList = ({ body }: Pick<Route, 'body'>): boolean =>
  (body as Keywords | undefined)?.type === 'array';

function notNull(schema: Keywords): Keywords {
  const values = schema.anyOf?.filter(({ type }) => type !== 'null');
  return values?.length === 1 ? (values[0] as Keywords) : schema;
}
