import { decodeCall, encodeAnswer, type Value } from '../../../erp/odoo/xml-rpc.ts';
import { type Answer, faultOf, json, page, rpcError, XML_TYPE } from './answers.ts';
import { builtin, Failure } from './failures.ts';
import { type Here, list, opened, opens, serve, versionInfo, versionText } from './services.ts';
import { major } from './state.ts';

/** A request as the parts of the fake see it. */
export interface Incoming {
  method: string;
  url: URL;
  headers: Record<string, string | undefined>;
  body: string;
}

const NOT_XML = new Failure('xml.parsers.expat.ExpatError', 'fake: not XML');

/** XML-RPC: whatever happens, the status is 200. */
export function xmlRpc(here: Here, service: string, { method, body }: Incoming): Answer {
  if (method !== 'POST') return page(405, { headers: { allow: 'OPTIONS, POST' } });
  try {
    const call = parsed(() => decodeCall(body), NOT_XML);
    return { status: 200, type: XML_TYPE, body: encodeAnswer(serve(here, service, call)) };
  } catch (error) {
    if (error instanceof Failure) return faultOf(error);
    throw error;
  }
}

function parsed<Result>(parse: () => Result, failure: Failure): Result {
  try {
    return parse();
  } catch {
    throw failure;
  }
}

type Params = Record<string, Value | undefined>;

const NOT_OBJECT = builtin('TypeError', 'the parameters must be an object');

/** The addresses that speak JSON-RPC: the services, and some pages of the web client. */
const JSON_RPC: Record<string, (here: Here, params: Params) => Value | Answer> = {
  '/jsonrpc': (here, { service, method, args }) =>
    serve(here, String(service), { method: String(method), params: (args ?? []) as Value[] }),
  '/web/webclient/version_info': ({ server }) => ({
    server_version: versionText(server),
    server_version_info: versionInfo(server),
    server_serie: server.version,
    protocol_version: 1,
  }),
  '/web/database/list': (here) => list(here),
  '/web/session/authenticate': (here, params) => session(here, params),
};

/** How many cookies a page sets: one that opens a session does, and one more for who signs in. */
function cookiesOf(server: Here['server'], path: string, result: Value): number {
  const earlier = major(server) < 19;
  if (path === '/web/database/list') return 1;
  if (path === '/web/webclient/version_info') return earlier ? 1 : 0;
  if (path !== '/web/session/authenticate') return 0;
  return earlier && (result as { uid?: Value } | null)?.uid === null ? 1 : 2;
}

export const isJsonRpc = (path: string): boolean => Object.hasOwn(JSON_RPC, path);

export function jsonRpc(here: Here, { url, headers, body, method }: Incoming): Answer {
  const { server } = here;
  const path = url.pathname;
  const current = major(server) >= 19;
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  // Version 19 looks at the type of the body alone, even of a request that has none.
  if (!isJson && current) return page(415);
  if (!isJson) return page(400);
  if (method !== 'POST' && !current) return page(405, { headers: { allow: 'OPTIONS, POST' } });
  let sent: Params;
  try {
    sent = JSON.parse(body) as Params;
  } catch {
    // Pages open a session before they read.
    return page(400, { failed: false, cookies: current && path.startsWith('/web/') ? 1 : 0 });
  }
  const id = sent?.id ?? null;
  try {
    const params = sent?.params ?? {};
    if (typeof params !== 'object') throw NOT_OBJECT;
    const result = JSON_RPC[path]?.(here, params as Params) as Value;
    return json({ jsonrpc: '2.0', id, result }, { cookies: cookiesOf(server, path, result) });
  } catch (error) {
    if (error instanceof Failure) return rpcError(server, id, error);
    throw error;
  }
}

/** What a browser learns when it has signed in. The fake opens no session. */
function session(here: Here, { db, login, password }: Params): Value {
  const { server } = here;
  const earlier = major(server) < 19;
  if (earlier && (db ?? null) === null) throw builtin('TypeError', 'no database was named');
  if (earlier && !server.databases.has(String(db)))
    throw new Failure('odoo.exceptions.AccessError', 'fake: database not found');
  const database = opened(here, db ?? null);
  const user = database.users.find((each) => each.login === login);
  if (user?.twoFactors && user.password === password) return { uid: null };
  // Version 16 takes no key where browsers sign in.
  const isKey = earlier && user?.password !== password;
  if (user === undefined || isKey || !opens(database, user, String(password)))
    throw new Failure('odoo.exceptions.AccessDenied', 'fake: access denied');
  const admin = user.role === 'admin';
  return {
    uid: user.id,
    is_system: admin,
    is_admin: admin,
    db: database.name,
    user_context: { lang: 'en_US', tz: false, uid: user.id },
    name: user.name,
    server_version: versionText(server),
    server_version_info: versionInfo(server),
    username: user.login,
    partner_display_name: user.name,
    partner_id: user.id + 1,
    support_url: 'https://example.com',
    'web.base.url': 'http://localhost',
    active_ids_limit: 20000,
    max_file_upload_size: 1_000_000,
    home_action_id: false,
    profile_session: null,
    profile_collectors: null,
    profile_params: null,
    currencies: { '1': { symbol: '€', position: 'after', digits: [69, 2], ...named(server) } },
    bundle_params: { lang: 'en_US' },
    ...(major(server) >= 19 ? LATER : EARLIER),
  };
}

const named = (server: Here['server']) => (major(server) >= 19 ? { name: 'EUR' } : {});

const LATER: Record<string, Value> = {
  is_public: false,
  is_internal_user: true,
  registry_hash: '0',
  quick_login: true,
  user_settings: { id: 1, embedded_actions_config_ids: {}, user_id: { id: 2 } },
  partner_write_date: '2026-11-02 09:00:00',
  test_mode: false,
};

const company = { id: 1, name: 'Example Ltd', sequence: 0 };

const EARLIER: Record<string, Value> = {
  company_id: 1,
  user_id: [2],
  web_tours: [],
  tour_disable: false,
  show_effect: true,
  cache_hashes: { translations: '0', load_menus: '0' },
  user_companies: { current_company: 1, allowed_companies: { '1': company } },
  display_switch_company_menu: false,
};
