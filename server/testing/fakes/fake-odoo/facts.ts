import { readFileSync } from 'node:fs';
import { decodeAnswer, encodeCall, type Value } from '../../../erp/odoo/xml-rpc.ts';
import type { FakeOdoo } from './fake.ts';
import type { FakeOdooOptions } from './server.ts';

/**
 * What was seen on real servers of versions 16 and 19 (`facts.jsonl`): the request, and of its
 * answer the status, the headers, the codes and the shape. `{http}` and `{https}` stand for the
 * server's address, `<name>` for a secret of the fake.
 */
export interface Fact {
  name: string;
  /** The names of the servers that answered so. */
  in: string[];
  send: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    xmlrpc?: [string, ...Value[]];
    json?: Value;
    text?: string;
    type?: string;
  };
  answer: Seen;
}

/** What is compared of an answer. */
export interface Seen {
  status?: number;
  type?: string;
  nosniff?: boolean;
  cookies?: number;
  allow?: string;
  authenticate?: string;
  location?: string;
  /** The shape of what XML-RPC returned, or the code of its fault. */
  returns?: Value;
  fault?: number;
  /** The shape of a JSON body, and the code of an error in it. */
  json?: Value;
  code?: number;
  /** The class of the exception. */
  exception?: string;
  /** The recorded body was cut: there may be more in the answer. */
  more?: boolean;
  /** Instead of an answer: how the connection failed. */
  error?: string;
}

export const facts: Fact[] = readFileSync(new URL('facts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Fact);

const two = ['erp_a', 'erp_b'];
const filtered = { databases: ['erp_a'], listDatabases: false };

/** The servers of the facts. */
export const servers: Record<string, FakeOdooOptions> = {
  '19,2 dbs': { databases: two },
  '19,list_db=False,2 dbs': { databases: two, listDatabases: false },
  '19,one db,filter': { ...filtered, withoutAssets: true },
  '19,one db,filter,js': filtered,
  '19,brute': { databases: two },
  '19,postgres back': filtered,
  '16,2 dbs': { version: '16.0', databases: ['x16_a', 'x16_b'] },
  '16,brute': { version: '16.0', databases: ['x16_a', 'x16_b'] },
};

/** The parts of a value: names and types, in lists each kind once. */
function shapeOf(value: Value): Value {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const kinds = new Map(value.map((each) => [JSON.stringify(shapeOf(each)), shapeOf(each)]));
    return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  }
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, of]) => [name, shapeOf(of)]),
    );
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return typeof value === 'string' ? 'str' : 'bool';
}

/** The request of a fact, with the secrets of a fake. */
export function requestOf({ send }: Fact, fake: FakeOdoo) {
  const { method, path, headers = {}, xmlrpc, json, text } = send;
  const filled = <Of>(value: Of): Of =>
    JSON.parse(
      JSON.stringify(value).replaceAll(
        /<([a-z_]+)_(key|password)(_\w+)?>/g,
        (_, name, kind, scope) =>
          kind === 'key'
            ? fake.key(name + (scope ? `_${scope.slice(1)}` : ''))
            : fake.password(name),
      ),
    );
  const xml = xmlrpc && encodeCall(xmlrpc[0], filled(xmlrpc.slice(1)));
  const body = xml ?? (json === undefined ? text : JSON.stringify(filled(json)));
  const type = send.type ?? (xml === undefined ? 'application/json' : 'text/xml');
  return {
    method,
    path,
    body,
    headers: { ...(body !== undefined && { 'content-type': type }), ...filled(headers) },
  };
}

/** What is compared of an answer that came. `origin`: of the server that was asked. */
export function seen(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: string,
  origin: string,
): Seen {
  const type = String(headers['content-type']);
  const cookies = headers['set-cookie']?.length;
  const location = headers.location as string | undefined;
  return {
    status,
    type,
    ...(headers['x-content-type-options'] && { nosniff: true }),
    ...(cookies && { cookies }),
    ...(headers.allow && { allow: String(headers.allow) }),
    ...(headers['www-authenticate'] && { authenticate: String(headers['www-authenticate']) }),
    ...(location && { location: location.replace(origin, '{http}') }),
    ...(type.includes('xml') ? xmlSeen(body) : type.includes('json') ? jsonSeen(body) : {}),
  };
}

function xmlSeen(body: string): Seen {
  const answered = decodeAnswer(body);
  if ('value' in answered) return { returns: shapeOf(answered.value) };
  const { code, text } = answered.fault;
  const last = text.trim().split('\n').at(-1) ?? '';
  const exception = text.startsWith('Traceback') && /^[\w.]+/.exec(last)?.[0];
  return { fault: Number(code), ...(exception && { exception }) };
}

function jsonSeen(body: string): Seen {
  const value = JSON.parse(body) as Value;
  const { error, debug, name } = (value ?? {}) as Record<string, Value>;
  const { code, data } = (error ?? {}) as { code?: number; data?: { name: string } };
  return {
    json: shapeOf(value),
    ...(code !== undefined && { code }),
    ...(data !== undefined && { exception: data.name }),
    ...(debug !== undefined && { exception: String(name) }),
  };
}
