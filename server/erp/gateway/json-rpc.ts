import type { Value } from '../odoo/xml-rpc.ts';
import { dictionary } from './json2.ts';
import { json, MOST_PARSED, type Protocol, type Shown } from './protocol.ts';
import { Refusal, withoutTraceback } from './refusal.ts';
import { asked, callOf, credentialOf } from './rpc.ts';

/** Values as they stand within a list. */
const inList = (values: Value[]): string => JSON.stringify(values).slice(1, -1);

const VERSION = { jsonrpc: '2.0' };

/** JSON-RPC, of every version before 20. Its answers are always 200. */
export const jsonRpc: Protocol = {
  needsUser: true,
  read({ body }) {
    const { method, params, id = null } = dictionary(body);
    if (method !== 'call') throw new Refusal(400, 'The method of JSON-RPC is `call`.');
    const { service, method: called, args } = dictionaryOf(params);
    if (typeof service !== 'string' || typeof called !== 'string' || !Array.isArray(args))
      throw new Refusal(400, 'JSON-RPC takes a service, a method and a list of arguments.');
    return { ...asked(service, called, args), id: typeof id === 'object' ? null : id };
  },
  encode: (call) => inList(callOf(call)),
  request: (_call, encoded, signedIn) => ({
    path: '/jsonrpc',
    headers: { 'content-type': 'application/json' },
    body:
      '{"jsonrpc":"2.0","method":"call","id":1,"params":{"service":"object","method":"execute_kw",' +
      `"args":[${inList(credentialOf(signedIn))},${encoded}]}}`,
  }),
  answer({ status, body }, { id = null }, secret) {
    if (status !== 200) throw new Refusal(502, `The server answered ${status}.`);
    if (body.length > MOST_PARSED) return passed(body, id);
    const { result, error } = dictionary(body.toString());
    if (error === undefined) return json(200, { ...VERSION, id, result: result ?? null });
    const { code = 200, message, data } = dictionaryOf(error);
    const { name, message: said } = dictionaryOf(data);
    const shown = (value: Value | undefined) =>
      typeof value === 'string' ? withoutTraceback(value, secret) : undefined;
    return json(200, {
      ...VERSION,
      id,
      error: { code, message: shown(message), data: { name: shown(name), message: shown(said) } },
    });
  },
  result: ({ status, body }) => (status === 200 ? dictionary(body.toString()).result : undefined),
  value: (result, { id = null }) => json(200, { ...VERSION, id, result }),
  refusal: ({ status, message }, from) =>
    json(200, {
      ...VERSION,
      id: from?.id ?? null,
      error: { code: status, message, data: { name: 'guildhall.Refused', message } },
    }),
};

/** As Odoo writes a result, for the id that every request has which is made here. */
const RESULT = /^\{\s*"jsonrpc":\s*"2\.0",\s*"id":\s*1,\s*"result":/;

/** A large result, which is not parsed. Throws Refusal for what does not begin as one. */
function passed(body: Buffer, id: Value): Shown {
  const [head] = RESULT.exec(body.toString('latin1', 0, 200)) ?? [];
  if (head === undefined)
    throw new Refusal(502, 'The server answered more than 1 MiB, and not with a result.');
  const own = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
  return {
    status: 200,
    type: 'application/json',
    body: Buffer.concat([own, body.subarray(head.length)]),
  };
}

export const dictionaryOf = (value: Value | undefined): Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
