import { holdsSecret } from '../../telemetry/hide-secrets.ts';
import { type Asking, Trouble } from './asking.ts';
import { callJson2, callXmlRpc, fieldOf, isDenied, jsonOf, returned } from './calls.ts';
import { databaseExists, databasesOf, type Identity, requirePostgres } from './identify.ts';
import { json2Session, type Session, xmlRpcSession } from './session.ts';
import type { Value } from './xml-rpc.ts';

export interface Login {
  database?: string | undefined;
  login?: string | undefined;
  secret: string;
  /** What the secret is, if it is known: a password is never sent where a key belongs. */
  kind?: 'api_key' | 'password' | undefined;
}

const JSON_2 = 19;

/** Keys of Odoo are hexadecimal. */
const looksLikeKey = (secret: string): boolean => /^[0-9a-f]{40}$/.test(secret);

export const isKey = ({ kind, login, secret }: Login): boolean =>
  kind === 'api_key' || (kind === undefined && (login === undefined || looksLikeKey(secret)));

/**
 * Signs in over JSON-2 where the server has it and the secret is a key, otherwise over XML-RPC,
 * never through a browser's session: ten failures there lock everyone behind this address out for
 * a minute (erp.md §3).
 */
export async function signIn(asking: Asking, server: Identity, login: Login): Promise<Session> {
  if (server.major >= JSON_2 && isKey(login)) return overJson2(asking, server, login);
  if (!server.xmlRpc) throw new Trouble('api_not_allowed');
  return overXmlRpc(asking, login);
}

const isUserId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0;

const whoAmI = (asking: Asking, database: string | undefined, secret: string) =>
  callJson2(asking, { database, secret }, 'res.users', 'context_get', {});

async function overJson2(asking: Asking, server: Identity, login: Login): Promise<Session> {
  const { secret } = login;
  let { database } = login;
  // What no header can hold is no key, and no name of a database.
  if (!/^[!-~]+$/.test(secret)) throw new Trouble('bad_credentials');
  if (database !== undefined && !/^[ -~]+$/.test(database)) throw new Trouble('database_unknown');
  let answer = await whoAmI(asking, database, secret);
  if (answer.status === 404 && database !== undefined) {
    const named = database;
    database = undefined;
    answer = await whoAmI(asking, undefined, secret);
    if (answer.status !== 404) await requireChosen(asking, server, named);
  }
  if (answer.status === 404) throw await whyNoDatabase(asking, server, login.database);
  if (answer.status === 401) throw new Trouble('bad_credentials');
  if (answer.status === 403) throw new Trouble('api_not_allowed');
  const uid = fieldOf(await jsonOf(asking, answer), 'uid');
  if (answer.status !== 200 || !isUserId(uid)) throw new Trouble('not_odoo');
  const session = json2Session(asking, uid, { database, secret });
  await requireOwn(session, login.login);
  return { ...session, database: login.database };
}

/**
 * The name was not known as a header, and without it there was a database: right on Odoo's own
 * hosting, where the host chooses, and elsewhere only if the one that was named exists.
 */
async function requireChosen(asking: Asking, { xmlRpc }: Identity, named: string): Promise<void> {
  if (asking.host.endsWith('.odoo.com')) return;
  if (!xmlRpc || (await databaseExists(asking, named)) !== true)
    throw new Trouble('database_unknown');
}

/** A key is a person's: with another login than theirs, XML-RPC would refuse it. */
async function requireOwn(session: Session, login: string | undefined): Promise<void> {
  if (login === undefined) return;
  const domain = [['id', '=', session.uid]];
  const own = await session.call('res.users', 'search_read', { domain, fields: ['login'] });
  const [row] = 'value' in own && Array.isArray(own.value) ? own.value : [];
  const name = fieldOf(row, 'login');
  if (typeof name === 'string' && name !== login) throw new Trouble('bad_credentials');
}

async function overXmlRpc(asking: Asking, login: Login): Promise<Session> {
  const { secret } = login;
  if (login.login === undefined) throw new Trouble('bad_credentials');
  const database = login.database ?? (await onlyDatabase(asking, secret));
  const answered = await callXmlRpc(
    asking,
    'common',
    'authenticate',
    [database, login.login, secret, {}],
    { carriesSecret: true },
  );
  const uid: Value | undefined = returned(answered);
  if (isUserId(uid)) return xmlRpcSession(asking, uid, { database, secret });
  if (uid === false) throw new Trouble('bad_credentials');
  if (answered === undefined || isDenied(answered)) throw new Trouble('api_not_allowed');
  throw await whyNoDatabase(asking, undefined, database);
}

async function onlyDatabase(asking: Asking, secret: string): Promise<string> {
  const [first, ...others] = (await databasesOf(asking)) ?? [];
  // A server that knows the secret from an earlier probe could have it shown as a name.
  if (first === undefined || others.length > 0 || holdsSecret(first, secret))
    throw new Trouble('database_required');
  return first;
}

/** What is behind an answer that is the same for a missing, an unknown and a lost database. */
async function whyNoDatabase(
  asking: Asking,
  server: Identity | undefined,
  named: string | undefined,
): Promise<Trouble> {
  await requirePostgres(asking);
  if (named === undefined) return new Trouble('database_required');
  if (server?.xmlRpc === false || (await databaseExists(asking, named)) !== false)
    return new Trouble('database_unknown');
  // Before version 19, only the list of databases shows whether PostgreSQL answers.
  if (server === undefined) await databasesOf(asking);
  return new Trouble('database_unknown');
}
