import type { Value } from '../odoo/xml-rpc.ts';
import type { Asked, SignedIn } from './protocol.ts';
import { Refusal } from './refusal.ts';
import type { ModelCall } from './touched.ts';

/** What XML-RPC and JSON-RPC have in common: services with methods and positional arguments. */

/** What was asked of a service. Throws Refusal for all that is not let through. */
export function asked(service: string, method: string, args: readonly Value[]): Asked<ModelCall> {
  if (service === 'common' && (method === 'version' || method === 'about'))
    return { what: 'version' };
  if (service === 'common' && (method === 'authenticate' || method === 'login'))
    return { what: 'authenticate', presented: text(args[2]) };
  if (service === 'object' && (method === 'execute_kw' || method === 'execute')) {
    const [, , presented, model, called, ...rest] = args;
    const call =
      method === 'execute'
        ? { positional: rest, named: {} }
        : { positional: listOf(rest[0]), named: namedOf(rest[1]) };
    return {
      what: { model: text(model) ?? '', method: text(called) ?? '', ...call },
      presented: text(presented),
    };
  }
  throw new Refusal(
    403,
    'The gateway lets calls of models through, and nothing of other services.',
  );
}

/** The first arguments of `execute_kw`: the credential of the connection. */
export const credentialOf = ({ target, uid, database }: SignedIn): Value[] => [
  database ?? '',
  uid,
  target.secret,
];

/** Those that follow. */
export const callOf = ({ model, method, positional, named }: ModelCall): Value[] => [
  model,
  method,
  [...positional],
  { ...named },
];

const text = (value: Value | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

function listOf(value: Value | undefined): Value[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Refusal(400, 'The arguments of execute_kw must be a list.');
}

function namedOf(value: Value | undefined): Record<string, Value> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new Refusal(400, 'The named arguments of execute_kw must be a dictionary.');
}
