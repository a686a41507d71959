import type { JSONObject } from '@modelcontextprotocol/server';
import type { TObject, TSchema } from 'typebox';
import { isRepeatable } from '../../http/idempotency.ts';
import type { Route } from '../../http/route.ts';
import type { Offer } from './offered.ts';

/** Where a field of a tool's input goes in the request. */
type Place = 'path' | 'query' | 'body' | 'version' | 'idempotency_key';

/** An operation as a tool. Its input has the fields of path, query and body side by side. */
export interface Tool {
  route: Route;
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, JSONObject>;
    required?: string[];
    additionalProperties: false;
  };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  places: ReadonlyMap<string, Place>;
}

/** The offered operations of a table as tools, in the order in which they are offered. */
export function toolsOf(table: readonly Route[], offered: readonly Offer[]): Tool[] {
  const byId = new Map(table.map((route) => [route.operationId, route]));
  return offered.flatMap((offer) => {
    const route = byId.get(offer.operationId);
    return route === undefined ? [] : [toolOf(route, offer)];
  });
}

/** @throws Error for two fields with one name, or a body that is no object */
function toolOf(route: Route, { destructive, required = [] }: Offer): Tool {
  const fields = [
    ...fieldsOf('path', route.params),
    ...fieldsOf('query', route.query),
    ...fieldsOf('body', objectBody(route)),
    ...headersOf(route),
  ];
  const places = new Map(fields.map(({ name, place }) => [name, place]));
  if (places.size < fields.length)
    throw new Error(`${route.operationId} has two fields of one name`);
  const needed = fields.flatMap(({ name, needed: must }) =>
    must || required.includes(name) ? [name] : [],
  );
  const reads = route.method === 'GET';
  return {
    route,
    name: route.operationId,
    title: route.summary,
    description: route.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, plain(schema)])),
      ...(needed.length === 0 ? {} : { required: needed }),
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: reads,
      destructiveHint: !reads && (route.method !== 'POST' || destructive === true),
      idempotentHint: route.method !== 'POST',
      openWorldHint: false,
    },
    places,
  };
}

interface Field {
  name: string;
  place: Place;
  schema: object;
  needed: boolean;
}

function fieldsOf(place: Place, schema: TObject | undefined): Field[] {
  const needed = new Set<string>(schema?.required ?? []);
  return Object.entries<TSchema>(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    place,
    schema: property,
    needed: needed.has(name),
  }));
}

function objectBody({ body, upload, operationId }: Route): TObject | undefined {
  if (upload !== undefined || (body !== undefined && !('properties' in body)))
    throw new Error(`${operationId} takes no JSON object`);
  return body;
}

function headersOf(route: Route): Field[] {
  const ifMatch = route.headers?.['If-Match'];
  const fields: Field[] = [];
  if (ifMatch !== undefined)
    fields.push({
      name: 'version',
      place: 'version',
      schema: {
        type: 'integer',
        minimum: 1,
        description:
          'The version that you have read. If there is a newer one, nothing happens and you are told.',
      },
      needed: false,
    });
  if (isRepeatable(route))
    fields.push({
      name: 'idempotency_key',
      place: 'idempotency_key',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'Makes a repetition safe: the same key again answers what the first call did.',
      },
      needed: false,
    });
  return fields;
}

/** JSON Schema alone: a client has no use for the names of components, and no way to resolve them. */
function plain(schema: object): JSONObject {
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (name === '$id' ? undefined : value)),
  ) as JSONObject;
}
