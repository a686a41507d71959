import type { Value } from '../../../erp/odoo/xml-rpc.ts';
import { accessError, builtin } from './failures.ts';
import { METHODS, type Method, may, modelNamed } from './methods.ts';
import { type Database, major, type Server, type User } from './state.ts';

/** Who calls a method, and where. */
interface By {
  server: Server;
  database: Database;
  user: User;
}

export interface Given {
  ids: number[];
  values: Record<string, Value>;
}

/** The method of this name in this version; private ones cannot be called from outside. */
export function methodNamed(server: Server, model: string, name: string): Method {
  modelNamed(model);
  if (name.startsWith('_')) throw accessError(name);
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  const { from = 0, to = 99 } = method ?? {};
  if (method === undefined || major(server) < from || major(server) > to)
    throw builtin('AttributeError', `no method ${name}`);
  return method;
}

export const argumentsOf = ({ args }: Method) =>
  args.map((each) => ({ name: each.replace('!', ''), required: each.endsWith('!') }));

/** The arguments of XML-RPC and JSON-RPC: in order, then by name. */
export function arranged(method: Method, args: Value[], named: Record<string, Value>): Given {
  const rest = [...args];
  if (method.onRecords && rest.length === 0) throw builtin('IndexError', 'the ids are missing');
  const ids = method.onRecords ? idsOf(rest.shift() ?? []) : [];
  const known = argumentsOf(method);
  if (rest.length > known.length) throw builtin('TypeError', 'too many arguments');
  const values: Record<string, Value> = { ...named };
  rest.forEach((value, i) => {
    values[known[i]?.name ?? ''] = value;
  });
  delete values.context;
  for (const { name, required } of known)
    if (required && !(name in values)) throw builtin('TypeError', `${name} is missing`);
  return { ids, values };
}

export const idsOf = (value: Value): number[] =>
  (Array.isArray(value) ? value : [value]).map(Number);

/** Calls a method with arguments that were arranged, as far as the user's role allows it. */
export function execute(by: By, model: string, method: Method, given: Given): Value {
  for (const name of Object.keys(given.values))
    if (!argumentsOf(method).some((each) => each.name === name))
      throw builtin('TypeError', `no argument ${name}`);
  const { read, write } = modelNamed(model);
  const asksForRights = method.args[0] === 'operation!' || method.args.length === 0;
  const needed = method.needs === 'write' ? write : read;
  if (!(asksForRights && method.needs === undefined) && !may(by.user, needed))
    throw accessError(model);
  return method.run({ ...by, model, ...given });
}
