import { type Answer, json, page, redirect } from './answers.ts';
import { type Choosing, databaseOf, json2 } from './json2.ts';
import { type Incoming, isJsonRpc, jsonRpc, xmlRpc } from './rpc.ts';
import { versionInfo, versionText } from './services.ts';
import { major } from './state.ts';

export interface Site extends Choosing {
  /** The sign-in page cannot be shown, because the files for it were not built. */
  withoutAssets: boolean;
}

/** The answer to a request that reached the server. */
export function answer(site: Site, incoming: Incoming): Answer {
  const { pathname, searchParams } = incoming.url;
  const { server } = site;
  const current = major(server) >= 19;
  const service = /^\/xmlrpc\/(?:2\/)?(\w+)$/.exec(pathname)?.[1];
  if (service !== undefined) return xmlRpc(site, service, incoming);
  if (isJsonRpc(pathname)) return jsonRpc(site, incoming);
  if (current && /^\/json\/2(\/|$)/.test(pathname)) return json2(site, incoming);
  if (pathname === '/web/health') return health(site, searchParams.has('db_server_status'));
  if (pathname === '/web/version' && current)
    return json(
      { version_info: versionInfo(server), version: versionText(server) },
      { cookies: 1 },
    );
  return browserPage(site, incoming) ?? page(404);
}

/** Only version 19 looks at the database when it is asked to. */
function health({ server, postgresDown }: Site, looks: boolean): Answer {
  const type = 'application/json';
  if (!looks || major(server) < 19) return json({ status: 'pass' }, { type });
  return postgresDown
    ? json({ status: 'fail', db_server_status: false }, { type, status: 500, failed: true })
    : json({ status: 'pass', db_server_status: true }, { type });
}

/**
 * Where browsers are sent. Version 16 names its own host in redirections, as its Werkzeug 2.0 does; with
 * that of Debian 12, which is 2.2, it does not.
 */
function browserPage(site: Site, { url, headers }: Incoming): Answer | undefined {
  const { server, withoutAssets } = site;
  const current = major(server) >= 19;
  const to = (path: string) => (current ? path : `http://${headers.host}${path}`);
  const chosen = databaseOf(site, undefined);
  switch (url.pathname) {
    case '/':
      return redirect(303, to(current ? '/odoo' : '/web'));
    case '/odoo':
    case '/web':
      if (!current && (url.pathname === '/odoo' || chosen !== undefined)) return undefined;
      return redirect(
        303,
        chosen
          ? `/web/login?redirect=${encodeURIComponent(`${url.pathname}?`)}`
          : to('/web/database/selector'),
      );
    case '/doc':
      if (!current || chosen === undefined) return undefined;
      return { ...redirect(303, '/web/login?redirect=%2Fdoc%3F'), cookies: 0, failed: true };
    case '/web/login':
      if (chosen === undefined) return redirect(302, to(`/web/login${url.search}`));
      return withoutAssets ? page(500) : page(200, { cookies: 1 });
    case '/web/database/selector':
    case '/web/database/manager':
      return page(200, { cookies: 1 });
    default:
      return undefined;
  }
}
