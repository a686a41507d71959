import type { Call, Value } from '../../../erp/odoo/xml-rpc.ts';
import { arranged, execute, methodNamed } from './execute.ts';
import { accessDenied, builtin, type Failure, noConnection } from './failures.ts';
import { type ApiKey, type Database, major, type Server, type User } from './state.ts';

/** What a request meets: the server, and what is wrong with it. */
export interface Here {
  server: Server;
  postgresDown: boolean;
  listDatabases: boolean;
}

/** What XML-RPC and JSON-RPC offer. */
export function serve(here: Here, service: string, { method, params }: Call): Value {
  const known = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
  if (known === undefined) throw builtin('KeyError', service);
  const run = Object.hasOwn(known, method) ? known[method] : undefined;
  if (run === undefined) throw noMethod(here, service, method);
  return run(here, params);
}

/** As version 16 was seen to refuse it. */
const REFUSED: Record<string, string> = { common: 'Exception', db: 'KeyError' };

function noMethod({ server }: Here, service: string, method: string): Failure {
  const refused = major(server) < 19 ? REFUSED[service] : undefined;
  return builtin(refused ?? 'AttributeError', `no method ${method}`);
}

export function versionInfo(server: Server): Value[] {
  const enterprise = server.edition === 'enterprise' ? 'e' : '';
  return [major(server), 0, 0, 'final', 0, enterprise];
}

export const versionText = ({ version, edition }: Server): string =>
  edition === 'enterprise' ? `${version}+e` : version;

const version = ({ server }: Here): Value => ({
  server_version: versionText(server),
  server_version_info: versionInfo(server),
  server_serie: server.version,
  protocol_version: 1,
});

const login = (here: Here, [db = null, login, password]: Value[]): Value => {
  const database = opened(here, db);
  const user = database.users.find((each) => each.login === login);
  return user !== undefined && opens(database, user, String(password)) ? user.id : false;
};

/** As `login`, with one argument more, which may not be left out. */
const authenticate = (here: Here, params: Value[]): Value => {
  if (params.length !== 4) throw builtin('TypeError', 'authenticate takes four arguments');
  return login(here, params);
};

const executeKw = (here: Here, params: Value[]): Value => {
  const [db = null, uid, password, model, name, args = [], named = {}] = params;
  const database = opened(here, db);
  const user = database.users.find(({ id }) => id === uid);
  if (user === undefined || !opens(database, user, String(password))) throw accessDenied();
  const method = methodNamed(here.server, String(model), String(name));
  const given = arranged(method, args as Value[], named as Record<string, Value>);
  return execute({ server: here.server, database, user }, String(model), method, given);
};

export const list = ({ server, listDatabases, postgresDown }: Here): string[] => {
  if (!listDatabases) throw accessDenied();
  if (postgresDown) throw noConnection();
  return [...server.databases.keys()];
};

const SERVICES: Record<string, Record<string, (here: Here, params: Value[]) => Value>> = {
  common: { version, authenticate, login },
  object: {
    execute_kw: executeKw,
    execute: (here, [db = null, uid = null, password = null, model = null, name = null, ...args]) =>
      executeKw(here, [db, uid, password, model, name, args, {}]),
  },
  db: {
    list,
    db_exist: ({ server, postgresDown }, [name]) =>
      !postgresDown && server.databases.has(String(name)),
    server_version: ({ server }) => server.version,
  },
};

/** The database of this name. How its absence looks depends on the version. */
export function opened({ server, postgresDown }: Here, name: Value): Database {
  if (major(server) >= 19 && !name) throw builtin('AssertionError', 'no database was named');
  if (name === null) throw builtin('AttributeError', 'no database was named');
  const database = server.databases.get(String(name));
  if (database === undefined || postgresDown) throw noConnection();
  return database;
}

/** Whether a password or an API key opens a user's account over XML-RPC and JSON-RPC. */
export function opens(database: Database, user: User, secret: string): boolean {
  if (!user.active) return false;
  const key = database.keys.find((each) => each.key === secret);
  if (key !== undefined) return key.userId === user.id && usable(key);
  return !user.twoFactors && secret === user.password;
}

export const usable = ({ scope, expiresAt }: ApiKey): boolean =>
  scope === 'rpc' && (expiresAt === undefined || expiresAt.getTime() > Date.now());
