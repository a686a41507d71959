import type { OutgoingAnswer } from '../../platform/outgoing/outgoing.ts';
import type { Asking } from './asking.ts';
import { type Answered, encodeCall, type Value } from './xml-rpc.ts';

/** An answer of XML-RPC; undefined if what came is none. */
export async function callXmlRpc(
  { ask, read }: Asking,
  service: 'common' | 'object' | 'db',
  method: string,
  params: readonly Value[],
  { carriesSecret = false } = {},
): Promise<Answered | undefined> {
  const { status, body } = await ask({
    path: `/xmlrpc/2/${service}`,
    type: 'text/xml',
    carriesSecret,
    body: encodeCall(method, params),
  });
  return status === 200 ? read('xmlRpc', body) : undefined;
}

/** The faults of XML-RPC that deny something: to anyone, and to this user. */
const DENIALS = [3, 4];

export const isDenied = (answered: Answered | undefined): boolean =>
  answered !== undefined && 'fault' in answered && DENIALS.includes(Number(answered.fault.code));

/** A fault with the exception that a lost PostgreSQL raises, as an unknown database does. */
export const namesOperationalError = (answered: Answered | undefined): boolean =>
  answered !== undefined &&
  'fault' in answered &&
  answered.fault.text.includes('psycopg2.OperationalError');

export const returned = (answered: Answered | undefined): Value | undefined =>
  answered !== undefined && 'value' in answered ? answered.value : undefined;

interface Json2Login {
  /** Without it the server chooses: by its name, or because there is only one. */
  database: string | undefined;
  secret: string;
}

/** Calls a method over JSON-2, with its arguments by name. */
export function callJson2(
  { ask }: Asking,
  { database, secret }: Json2Login,
  model: string,
  method: string,
  args: Record<string, Value>,
): Promise<OutgoingAnswer> {
  return ask({
    path: `/json/2/${model}/${method}`,
    type: 'application/json',
    carriesSecret: true,
    headers: {
      authorization: `bearer ${secret}`,
      ...(database !== undefined && { 'x-odoo-database': database }),
    },
    body: JSON.stringify(args),
  });
}

/** The JSON of an answer; undefined if it is none. */
export async function jsonOf(
  { read }: Asking,
  { headers, body }: OutgoingAnswer,
): Promise<Value | undefined> {
  return headers['content-type']?.startsWith('application/json') ? read('json', body) : undefined;
}

/** A field of an object; undefined if it is none. */
export const fieldOf = (value: Value | undefined, name: string): Value | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined;
