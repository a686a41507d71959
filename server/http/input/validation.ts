import type { Static, TArray, TObject, TSchema } from 'typebox';
import { type ErrorItem, ErrorList, type Sent } from './error-item.ts';
import { parseJson } from './json.ts';
import { compileFields, readerOf } from './readers/compile.ts';
import { MISSING, NOT_AN_OBJECT, readFields } from './readers/compound.ts';
import type { FieldKeywords } from './readers/reader.ts';

export { type ErrorItem, itemAt, itemSchema, type Sent, withoutSecrets } from './error-item.ts';

/** A request as it came over the wire. `search` is the raw query string without `?`. */
export type RawRequest = {
  params: Record<string, string>;
  search: string;
  contentType: string | undefined;
  body: Uint8Array | undefined;
};

type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** The parts of a valid request; a part without a schema is undefined. */
type ValidRequest<Params, Query, Body> = {
  ok: true;
  /** The values as they were sent, for the errors of handlers. */
  sent: Sent;
  params: ValueOf<Params>;
  query: ValueOf<Query>;
  body: ValueOf<Body>;
};

/** What `compileRequest` returns. It throws nothing but `UnreadableBody`. */
type RequestReader<Params, Query, Body> = (
  raw: RawRequest,
) => ValidRequest<Params, Query, Body> | { ok: false; items: ErrorItem[] };

const JSON_MEDIA_TYPE = /^application\/(?:json|[^/]*\+json)$/;

function isJson(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0] ?? '';
  return JSON_MEDIA_TYPE.test(mediaType.trim().toLowerCase());
}

/**
 * The query as a record without a prototype. Of repeated names the last one counts, as in
 * Starlette, except for lists.
 */
function readQuery(search: string, lists: ReadonlySet<string>): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!lists.has(name)) values[name] = value;
    else if (Array.isArray(values[name])) values[name].push(value);
    else values[name] = [value];
  }
  return values;
}

/** The text of a body that is not JSON, to echo it; undefined if it is not UTF-8. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * The body's JSON value, or undefined after reporting why there is none; `fallback` if none was
 * sent.
 */
function readJson(raw: RawRequest, errors: ErrorList, fallback: unknown): unknown {
  if (!raw.body?.length) return fallback ?? errors.add(MISSING, ['body'], null);
  if (!isJson(raw.contentType)) return errors.add(NOT_AN_OBJECT, ['body'], textOf(raw.body));
  const parsed = parseJson(raw.body);
  if (!parsed.ok) return errors.add(parsed.error, parsed.loc, {});
  return parsed.value === null ? errors.add(MISSING, ['body'], null) : parsed.value;
}

/**
 * Compiles the schemas of a request, built from `fields.ts`, into one reader. It returns the
 * values, or all errors as one list in Pydantic v2's words: path, query, body fields as declared,
 * unknown fields last (rulings 1.1, 1.4, 1.7 to 1.10). Without a body schema, the body is ignored.
 * A body whose schema has a `default` may be omitted.
 * @throws Error at start-up for a schema that `readers/compile.ts` does not support
 */
export function compileRequest<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TObject | TArray<TObject> | undefined = undefined,
>(schemas: {
  params?: Params | undefined;
  query?: Query | undefined;
  body?: Body | undefined;
}): RequestReader<Params, Query, Body> {
  const paramFields = compileFields(schemas.params, 'path');
  const queryFields = compileFields(schemas.query, 'query');
  const readBody = schemas.body && readerOf(schemas.body, 'body');
  const fallback = (schemas.body as FieldKeywords | undefined)?.default;
  const lists = new Set(
    Object.entries<TSchema & { type?: string }>(schemas.query?.properties ?? {}).flatMap(
      ([name, { type }]) => (type === 'array' ? [name] : []),
    ),
  );

  return (raw) => {
    const errors = new ErrorList();
    const params = schemas.params && readFields(paramFields, raw.params, null, ['path'], errors);
    const search = schemas.query && readQuery(raw.search, lists);
    const query = search && readFields(queryFields, search, null, ['query'], errors);
    const json = readBody && readJson(raw, errors, fallback);
    const body = json === undefined ? undefined : readBody?.(json, ['body'], errors);
    if (errors.count > 0) return { ok: false, items: errors.items() };
    const sent: Sent = { path: raw.params, query: search, body: json };
    // The readers were compiled from the schemas that these types come from.
    return { ok: true, params, query, body, sent } as ValidRequest<Params, Query, Body>;
  };
}
