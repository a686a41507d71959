/**
 * The vocabulary of the tables beside this file, one for each API: every field that a request may
 * have. What no table names is refused (permitted.ts), because a provider may understand it one day.
 */
export type Rule =
  | Leaf
  /** A list of such elements. */
  | readonly [Rule]
  /** An object with these fields and no other one; each may be missing. */
  | Fields
  | OneOf
  | ByType
  | Either
  | Required;

export type Leaf =
  | 'text'
  /** A text that is not the id of a file of the operator, which some providers would read. */
  | 'message text'
  | 'number'
  | 'flag'
  /** Any JSON: the provider does nothing with it but show it to the model. */
  | 'json'
  /** A JSON schema, which refers to nothing outside itself. */
  | 'schema'
  /** An image by value, as a `data:` address. */
  | 'image address'
  /** Its bytes. */
  | 'image bytes'
  /** A document or a recording by value, as bytes or a `data:` address. */
  | 'file'
  /** Agents send it. It changes nothing, or only for the worse, and is not sent on. */
  | 'left out';

export interface Fields {
  readonly [name: string]: Rule;
}

/** One of these values. */
export class OneOf {
  readonly values: readonly (string | number | boolean)[];
  /** Whether it is not sent on: the provider does the same without it. */
  readonly leftOut: boolean;

  constructor(values: OneOf['values'], leftOut = false) {
    this.values = values;
    this.leftOut = leftOut;
  }
}

/** An object whose field `key` says which of the tables holds. */
export class ByType {
  readonly key: string;
  readonly tables: { readonly [type: string]: Fields };
  /** Of an object without that field; without this, such an object is refused. */
  readonly untyped: Fields | undefined;
  /** Whether objects of other types are left out instead of refused. */
  readonly othersLeftOut: boolean;

  constructor(
    key: string,
    tables: ByType['tables'],
    { untyped, othersLeftOut = false }: { untyped?: Fields; othersLeftOut?: boolean } = {},
  ) {
    this.key = key;
    this.tables = tables;
    this.untyped = untyped;
    this.othersLeftOut = othersLeftOut;
  }
}

/** The first of these rules that is for such a value: a text, a list or an object. */
export class Either {
  readonly rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
  }
}

/** A field without which the provider would choose something else. */
export class Required {
  readonly rule: Rule;

  constructor(rule: Rule) {
    this.rule = rule;
  }
}

export const required = (rule: Rule): Required => new Required(rule);

export const oneOf = (...values: OneOf['values']): OneOf => new OneOf(values);

/** These values are left out, and others refused. */
export const onlyDefault = (...values: OneOf['values']): OneOf => new OneOf(values, true);

export const byType = (
  tables: ByType['tables'],
  options?: { key?: string; untyped?: Fields; othersLeftOut?: boolean },
): ByType => new ByType(options?.key ?? 'type', tables, options);

export const either = (...rules: Rule[]): Either => new Either(rules);

/** The same table for each of these types. */
export const each = (types: readonly string[], table: Fields): Record<string, Fields> =>
  Object.fromEntries(types.map((type) => [type, table]));

/**
 * Media types of content. Not among them is what names addresses for whoever opens it, such as SVG
 * and playlists.
 */
export const IMAGES = [
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/heic',
  'image/heif',
] as const;

export const FILES = [
  'application/pdf',
  'application/json',
  'text/plain',
  'text/csv',
  'text/markdown',
  'audio/wav',
  'audio/x-wav',
  'audio/mp3',
  'audio/mpeg',
  'audio/aac',
  'audio/ogg',
  'audio/flac',
  'audio/aiff',
  'audio/mp4',
  'audio/m4a',
  'audio/webm',
  'audio/opus',
  'video/mp4',
  'video/mpeg',
  'video/mpg',
  'video/mov',
  'video/quicktime',
  'video/avi',
  'video/webm',
  'video/x-flv',
  'video/wmv',
  'video/3gpp',
] as const;
