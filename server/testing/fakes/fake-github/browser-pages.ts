import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { InstallationControls } from './installation-controls.ts';
import { authorize, exchange } from './people.ts';
import { Refusal } from './refusals.ts';
import type { State } from './state.ts';

const INSTALL = /^\/apps\/([\w-]+)\/installations\/new$/;

export const isPage = (path: string): boolean =>
  path.startsWith('/login/oauth/') || INSTALL.test(path);

/**
 * The addresses of GitHub that browsers visit. Whoever sits there agrees at once, so that each page
 * is a redirect; `signIn` and `deny` say who that is and what they do.
 */
export async function servePage(
  state: State,
  controls: InstallationControls,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    if (request.method === 'POST' && url.pathname === '/login/oauth/access_token') {
      const answer = exchange(state, new URLSearchParams(await text(request)));
      const json = /json/.test(request.headers.accept ?? '');
      const type = json ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded';
      const body = json ? JSON.stringify(answer) : new URLSearchParams(answer).toString();
      return void response.writeHead(200, { 'content-type': type }).end(body);
    }
    const target =
      url.pathname === '/login/oauth/authorize'
        ? authorize(state, url.searchParams)
        : installed(state, controls, url);
    response.writeHead(302, { location: target.href }).end();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    response.writeHead(error.status, { 'content-type': 'text/plain' }).end(`${error.message}\n`);
  }
}

/** The App is installed in the account `login`, by default that of whoever sits at the browser. */
function installed({ app, people }: State, { install }: InstallationControls, url: URL): URL {
  if (INSTALL.exec(url.pathname)?.[1] !== app.slug) throw new Refusal(404, 'Not Found');
  const { current, setupUrl } = people;
  if (current === undefined) throw new Refusal(401, 'Sign in to GitHub first');
  if (setupUrl === undefined) throw new Refusal(404, 'The App has no setup URL');
  const back = new URL(setupUrl);
  const state = url.searchParams.get('state');
  if (state !== null) back.searchParams.set('state', state);
  const login = url.searchParams.get('login') ?? current.account.login;
  const owns = current.organizations.has(login.toLowerCase());
  if (login !== current.account.login && !owns) {
    back.searchParams.set('setup_action', 'request');
    return back;
  }
  const { id } = install(login, owns ? {} : { type: 'User' });
  back.searchParams.set('installation_id', String(id));
  back.searchParams.set('setup_action', 'install');
  return back;
}
