import type { IncomingHttpHeaders } from 'node:http';
import type { Value } from '../odoo/xml-rpc.ts';
import { json, MOST_PARSED, type Protocol } from './protocol.ts';
import { Refusal, withoutTraceback } from './refusal.ts';

export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];

/** JSON-2 of Odoo 19: the model and the method stand in the path, the key in a header. */
export const json2: Protocol = {
  needsUser: false,
  presentedIn: bearerOf,
  read({ path, body }) {
    const [, model = '', method = ''] = /^\/json\/2\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const named = dictionary(body === '' ? '{}' : body);
    return { what: { model, method, positional: [], named } };
  },
  encode: ({ named }) => JSON.stringify(named),
  request: ({ model, method }, body, { target: { secret, credential }, database }) => {
    if (credential !== 'api_key')
      throw new Refusal(403, 'This connection has a password, which JSON-2 does not take.');
    return {
      path: `/json/2/${model}/${method}`,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        authorization: `Bearer ${secret}`,
        ...(database === undefined ? {} : { 'x-odoo-database': database }),
      },
      body,
    };
  },
  answer({ status, headers, body }, _asked, secret) {
    if (status < 400) {
      if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
        throw new Refusal(502, 'The server answered what is no JSON.');
      return { status, type: 'application/json', body };
    }
    const { name, message, code } = body.length > MOST_PARSED ? {} : error(body.toString());
    const said = withoutTraceback(message ?? `The server answered ${status}.`, secret);
    const shown = name && { name: withoutTraceback(name, secret).slice(0, 200) };
    return json(status, { ...shown, message: said, ...(code && { code }) });
  },
  result: ({ status, body }) => (status === 200 ? dictionary(body.toString()) : undefined),
  value: (value) => json(200, value),
  refusal: ({ status, message }) => json(status, { name: 'guildhall.Refused', message }),
};

/** The object of a body. Throws Refusal. */
export function dictionary(body: string): Record<string, Value> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, Value>;
  } catch {
    // Is refused below.
  }
  throw new Refusal(400, 'The body must be a JSON object.');
}

function error(body: string): { name?: string; message?: string; code?: number } {
  try {
    const { name, message, code } = dictionary(body);
    return {
      ...(typeof name === 'string' && { name }),
      ...(typeof message === 'string' && { message }),
      ...(typeof code === 'number' && { code }),
    };
  } catch {
    return {};
  }
}
