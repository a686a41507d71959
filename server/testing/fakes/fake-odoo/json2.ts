import type { Value } from '../../../erp/odoo/xml-rpc.ts';
import { type Answer, json, json2Error, page } from './answers.ts';
import { argumentsOf, execute, type Given, idsOf, methodNamed } from './execute.ts';
import { Failure, werkzeug } from './failures.ts';
import type { Incoming } from './rpc.ts';
import { type Here, usable } from './services.ts';
import type { Database, User } from './state.ts';

/** Where the requests of a server without a name for the database go. */
export interface Choosing extends Here {
  /** As on servers that choose the database by the host: a name in the header finds nothing. */
  chosenByHost: boolean;
}

/** The database of a request, by its header or because it is the only one. */
export function databaseOf(
  { server, postgresDown, chosenByHost }: Choosing,
  name: string | undefined,
): Database | undefined {
  if (postgresDown || (chosenByHost && name !== undefined)) return undefined;
  if (name !== undefined) return server.databases.get(name);
  const [first, ...others] = server.databases.values();
  return others.length === 0 || chosenByHost ? first : undefined;
}

/** JSON-2. Without a database the address does not exist, whatever was the cause. */
export function json2(here: Choosing, incoming: Incoming): Answer {
  const database = databaseOf(here, incoming.headers['x-odoo-database']);
  if (database === undefined) return page(404);
  const { method, headers } = incoming;
  // Before anything else is looked at, and as a page.
  if (method === 'POST' && !headers['content-type']?.startsWith('application/json'))
    return page(415);
  try {
    return json(answered(here, database, incoming));
  } catch (error) {
    if (error instanceof Failure) return json2Error(error);
    throw error;
  }
}

function answered(here: Choosing, database: Database, incoming: Incoming): Value {
  const { method: verb, url, headers, body } = incoming;
  const [, , , model, name, ...more] = url.pathname.split('/');
  if (verb !== 'POST' || model === undefined || name === undefined || more.length > 0)
    throw werkzeug('NotFound', 404, 'use POST and a model and a method');
  const user = userOf(database, headers.authorization);
  const sent = parsed(body);
  const { server } = here;
  const method = looked(() => methodNamed(server, model, name));
  const given = named(model, name, method, sent);
  return execute({ server, database, user }, model, method, given);
}

function userOf({ keys, users }: Database, authorization: string | undefined): User {
  const secret = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const key = keys.find((each) => each.key === secret && usable(each));
  const user = users.find(({ id, active }) => id === key?.userId && active);
  if (user === undefined) throw werkzeug('Unauthorized', 401, 'no such key');
  return user;
}

function parsed(body: string): Record<string, Value> {
  if (body === '') return {};
  let value: Value;
  try {
    value = JSON.parse(body) as Value;
  } catch {
    throw werkzeug('BadRequest', 400, 'the body is not JSON');
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw werkzeug('UnprocessableEntity', 422, 'the body must be an object');
  return value;
}

/** Here an unknown model or method is an unknown address. */
function looked<Result>(look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Failure) || error.status === 403) throw error;
    throw werkzeug('NotFound', 404, error.message);
  }
}

function named(
  model: string,
  name: string,
  method: ReturnType<typeof methodNamed>,
  { ids, context: _, ...values }: Record<string, Value>,
): Given {
  if (ids !== undefined && !method.onRecords)
    throw werkzeug('UnprocessableEntity', 422, `${model}.${name} takes no ids`);
  for (const argument of argumentsOf(method))
    if (argument.required && !(argument.name in values))
      throw werkzeug('UnprocessableEntity', 422, `${argument.name} is missing`);
  return { ids: idsOf(ids ?? []), values };
}
