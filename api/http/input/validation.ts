import type { Static, TObject, TSchema } from 'typebox';
import { type ErrorItem, type InputError, itemOf } from './error-item.ts';
import { parseJson } from './json.ts';
import { type FieldKeywords, type FieldReader, type Place, readerOf } from './readers.ts';

export { type ErrorItem, itemAt, itemSchema } from './error-item.ts';

/** A request as it came over the wire. `search` is the raw query string without `?`. */
export type RawRequest = {
  params: Record<string, string>;
  search: string;
  contentType: string | undefined;
  body: Uint8Array | undefined;
};

type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** The three parts of a valid request; a part without a schema is undefined. */
export type ValidRequest<Params, Query, Body> = {
  ok: true;
  params: ValueOf<Params>;
  query: ValueOf<Query>;
  body: ValueOf<Body>;
};

/** What `compileRequest` returns. It throws nothing but `UnreadableBody`. */
export type RequestReader<Params, Query, Body> = (
  raw: RawRequest,
) => ValidRequest<Params, Query, Body> | { ok: false; items: ErrorItem[] };

const MISSING: InputError = { type: 'missing', msg: 'Field required' };
const EXTRA: InputError = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
const NOT_AN_OBJECT: InputError = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

const JSON_MEDIA_TYPE = /^application\/(?:json|[^/]*\+json)$/;

type Field = { name: string; required: boolean; fallback: unknown; read: FieldReader };

function compileFields(schema: TObject | undefined, place: Place): Field[] {
  if (!schema) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties)
    .filter(([, property]) => !(property as FieldKeywords).readOnly)
    .map(([name, property]) => ({
      name,
      required: required.has(name),
      fallback: (property as FieldKeywords).default,
      read: readerOf(property, place),
    }));
}

/** Reads `fields` from `source`, whose own keys alone count; `whole` is what a missing field shows as input. */
function readFields(
  fields: readonly Field[],
  place: Place,
  source: Record<string, unknown>,
  whole: unknown,
  items: ErrorItem[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, required, fallback, read } of fields) {
    if (Object.hasOwn(source, name)) {
      const result = read(source[name]);
      if ('value' in result) values[name] = result.value;
      else items.push(itemOf(result.error, [place, name], source[name]));
    } else if (fallback !== undefined) values[name] = fallback;
    else if (required) items.push(itemOf(MISSING, [place, name], whole));
  }
  return values;
}

/** The query as a record: the last of equal names wins, as in Starlette; no name reaches a prototype. */
function readQuery(search: string): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) values[name] = value;
  return values;
}

function isJson(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0] ?? '';
  return JSON_MEDIA_TYPE.test(mediaType.trim().toLowerCase());
}

/** The text of a body that is not JSON, to echo it; undefined (no echo) when the bytes are no UTF-8. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The body's object, or undefined after reporting why there is none. */
function readObject(raw: RawRequest, items: ErrorItem[]): Record<string, unknown> | undefined {
  const report = (item: ErrorItem): undefined => {
    items.push(item);
  };
  if (!raw.body?.length) return report(itemOf(MISSING, ['body'], null));
  if (!isJson(raw.contentType)) return report(itemOf(NOT_AN_OBJECT, ['body'], textOf(raw.body)));
  const parsed = parseJson(raw.body);
  if (!parsed.ok) return report(parsed.item);
  const { value } = parsed;
  if (value === null) return report(itemOf(MISSING, ['body'], null));
  if (typeof value !== 'object' || Array.isArray(value)) {
    return report(itemOf(NOT_AN_OBJECT, ['body'], value));
  }
  return value as Record<string, unknown>;
}

/**
 * Compiles the schemas of a request, built from `fields.ts`, into one reader. It answers with the values, or with
 * every fault as one list in Pydantic v2's words: path, query, body fields as declared, unknown fields last
 * (validation.md; rulings 1.1, 1.4, 1.7 to 1.10). Without a body schema the body is never looked at.
 * @throws Error at start-up for a schema that `field-readers.ts` does not understand
 */
export function compileRequest<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TObject | undefined = undefined,
>(schemas: {
  params?: Params | undefined;
  query?: Query | undefined;
  body?: Body | undefined;
}): RequestReader<Params, Query, Body> {
  const paramFields = compileFields(schemas.params, 'path');
  const queryFields = compileFields(schemas.query, 'query');
  const bodyFields = compileFields(schemas.body, 'body');
  const knownNames = new Set(Object.keys(schemas.body?.properties ?? {}));

  const readBody = (raw: RawRequest, items: ErrorItem[]): Record<string, unknown> | undefined => {
    const object = readObject(raw, items);
    if (!object) return undefined;
    const values = readFields(bodyFields, 'body', object, object, items);
    for (const name of Object.keys(object)) {
      if (!knownNames.has(name)) items.push(itemOf(EXTRA, ['body', name], object[name]));
    }
    return values;
  };

  return (raw) => {
    const items: ErrorItem[] = [];
    const params = schemas.params && readFields(paramFields, 'path', raw.params, null, items);
    const query =
      schemas.query && readFields(queryFields, 'query', readQuery(raw.search), null, items);
    const body = schemas.body && readBody(raw, items);
    if (items.length > 0) return { ok: false, items };
    // The readers were compiled from the schemas that these types come from.
    return { ok: true, params, query, body } as ValidRequest<Params, Query, Body>;
  };
}
