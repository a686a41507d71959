import type { TObject } from 'typebox';

/** The keywords of a schema that the attacks look at. */
export type Keywords = {
  format?: string;
  type?: string;
  enum?: unknown[];
  readOnly?: boolean;
  maxLength?: number;
  maximum?: number;
  maxItems?: number;
  anyOf?: Keywords[];
  items?: Keywords;
  properties?: Record<string, Keywords>;
};

/** The members of an object schema, by name. */
export const membersOf = (schema: TObject | undefined) =>
  Object.entries((schema?.properties ?? {}) as Record<string, Keywords>);
