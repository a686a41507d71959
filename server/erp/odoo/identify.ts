import type { Edition } from '../probe.ts';
import { type Asking, Trouble } from './asking.ts';
import { callXmlRpc, fieldOf, jsonOf, namesOperationalError, returned } from './calls.ts';
import type { Value } from './xml-rpc.ts';

/** What every Odoo says of itself without a login. */
export interface Identity {
  /** Such as `18.0` or `saas~18.2`. */
  version: string;
  major: number;
  edition: Edition;
  /** Whether XML-RPC can be used: a proxy may close it. */
  xmlRpc: boolean;
}

const VERSION = /^(?<version>(?:saas[~-])?(?<major>\d{1,2})(?:\.\d{1,2})?)(?<paid>\+e)?/;

/**
 * Who answers. `common.version` is the one question that all versions answer; where XML-RPC is
 * closed, the page of the web client tells the same (erp.md §3).
 */
export async function identify(asking: Asking): Promise<Identity> {
  const said = fieldOf(
    returned(await callXmlRpc(asking, 'common', 'version', [])),
    'server_version',
  );
  if (said !== undefined) return identity(said, true);
  const page = await asking.ask({
    path: '/web/webclient/version_info',
    type: 'application/json',
    body: '{}',
  });
  const result = fieldOf(await jsonOf(asking, page), 'result');
  return identity(fieldOf(result, 'server_version'), false);
}

function identity(said: Value | undefined, xmlRpc: boolean): Identity {
  const { version, major, paid } = VERSION.exec(String(said))?.groups ?? {};
  if (version === undefined) throw new Trouble('not_odoo');
  const edition = paid === undefined ? 'unknown' : 'enterprise';
  return { version, major: Number(major), edition, xmlRpc };
}

/** What Odoo itself accepts as the name of a database. */
const NAME = /^[a-zA-Z0-9][\w.-]{0,62}$/;
const MOST = 100;

/**
 * The names of the databases; undefined where the server does not list them. A server that lists
 * them and cannot has lost its PostgreSQL.
 */
export async function databasesOf(asking: Asking): Promise<string[] | undefined> {
  const answered = await callXmlRpc(asking, 'db', 'list', []);
  if (namesOperationalError(answered)) throw new Trouble('database_down');
  const names = returned(answered);
  if (!Array.isArray(names)) return undefined;
  const known = names.filter((name) => typeof name === 'string' && NAME.test(name));
  return (known as string[]).slice(0, MOST);
}

/** Ends the probe if PostgreSQL is down: version 19 says so if it is asked, others never do. */
export async function requirePostgres(asking: Asking): Promise<void> {
  const health = await asking.ask({ path: '/web/health?db_server_status=1' });
  const said = await jsonOf(asking, health);
  if (fieldOf(said, 'db_server_status') === false) throw new Trouble('database_down');
}

/** Whether a database of this name can be opened, which servers say even if they list none. */
export async function databaseExists(asking: Asking, name: string): Promise<boolean | undefined> {
  const answer = returned(await callXmlRpc(asking, 'db', 'db_exist', [name]));
  return typeof answer === 'boolean' ? answer : undefined;
}
