import type { Value } from '../odoo/xml-rpc.ts';
import { dictionary } from './json2.ts';
import { json, type Protocol } from './protocol.ts';
import { Refusal, withoutTraceback } from './refusal.ts';
import { asked, executed } from './rpc.ts';

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
  request: (call, signedIn) => ({
    path: '/jsonrpc',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ ...VERSION, method: 'call', id: 1 },
      params: { service: 'object', method: 'execute_kw', args: executed(call, signedIn) },
    }),
  }),
  answer({ status, body }, { id = null }, { secret }) {
    if (status !== 200) throw new Refusal(502, `The server answered ${status}.`);
    const { result, error } = dictionary(body.toString());
    if (error === undefined) return json(200, { ...VERSION, id, result: result ?? null });
    const { code = 200, message, data } = dictionaryOf(error);
    const { name, message: said } = dictionaryOf(data);
    const shown = (value: Value | undefined) =>
      typeof value === 'string' ? withoutTraceback(value, secret) : undefined;
    return json(200, {
      ...{ ...VERSION, id },
      error: { code, message: shown(message), data: { name: shown(name), message: shown(said) } },
    });
  },
  value: (result, { id = null }) => json(200, { ...VERSION, id, result }),
  refusal: ({ status, message }, from) =>
    json(200, {
      ...{ ...VERSION, id: from?.id ?? null },
      error: { code: status, message, data: { name: 'guildhall.Refused', message } },
    }),
};

const dictionaryOf = (value: Value | undefined): Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
