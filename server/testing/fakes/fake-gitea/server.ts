import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type GitService, SERVICES, startBackend } from '../../../code/git/backend.ts';
import { asEnvironment } from '../../../code/repositories/git.ts';
import type { TestGitea } from '../../gitea/start.ts';
import { type Answer, NOT_FOUND, ROUTES, refusal } from './routes.ts';
import { follow, named, type Repository, type State } from './state.ts';

/** A fake of Gitea: the part of its API that Guildhall uses, over real Git repositories. */
interface FakeGitea extends TestGitea {
  state: State;
  /** Answers the next requests so, instead of what they ask for. */
  instead: (((request: IncomingMessage, response: ServerResponse) => void) | undefined)[];
  /** Method and path of each request to the API. */
  requests: string[];
}

const GIT_PATH = /^\/([^/]+)\/([^/]+)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const ENV = asEnvironment({
  'safe.directory': '*',
  'http.receivepack': 'true',
  'http.uploadpack': 'true',
  'gc.auto': '0',
});

export async function startFakeGitea(): Promise<FakeGitea> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-fake-gitea-'));
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (response.headersSent || response.destroyed) return void response.destroy();
      response.writeHead(500).end(String(error.stack));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = randomBytes(20).toString('hex');
  const state: State = {
    url,
    directory,
    tokens: new Map([[token, 'all']]),
    repositories: new Map(),
    former: new Map(),
    nextId: 1,
  };
  const fake: FakeGitea = {
    url,
    token,
    state,
    instead: [],
    requests: [],
    newToken: async (scopes) => {
      const made = randomBytes(20).toString('hex');
      state.tokens.set(made, scopes);
      return made;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
  return fake;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const git = GIT_PATH.exec(pathname);
    if (git !== null) return serveGit(request, response, git, searchParams.get('service'));
    const { method = 'GET' } = request;
    fake.requests.push(`${method} ${pathname}`);
    const instead = fake.instead.shift();
    if (instead !== undefined) return instead(request, response);
    const body = await text(request);
    const {
      status,
      body: answered,
      headers,
      event,
    } = await answer(method, pathname, {
      query: searchParams,
      body: body === '' ? {} : JSON.parse(body),
      scopes: state.tokens.get(request.headers.authorization?.replace('token ', '') ?? ''),
    });
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answered === undefined ? '' : JSON.stringify(answered));
    if (event !== undefined) await tell(event.repository, event.name);
  }

  async function answer(
    method: string,
    pathname: string,
    asked: { query: URLSearchParams; body: Record<string, unknown>; scopes: string | undefined },
  ): Promise<Answer> {
    const path = pathname.replace('/api/v1', '');
    const parts = path.split('/').map(decodeURIComponent);
    for (const [routeMethod, pattern, handle] of ROUTES) {
      const wanted = pattern.split('/');
      const fits =
        routeMethod === method &&
        wanted.length === parts.length &&
        wanted.every((each, i) => each === ':' || each === parts[i]);
      if (!fits) continue;
      const open = path === '/version';
      if (!open && asked.scopes === undefined)
        return refusal(401, 'invalid username, password or token');
      if (method !== 'GET' && !/all|write:repository/.test(asked.scopes ?? ''))
        return refusal(403, 'token does not have at least one of required scope(s)');
      const params = parts.filter((_, i) => wanted[i] === ':');
      return handle({ state, params, query: asked.query, body: asked.body });
    }
    return NOT_FOUND;
  }

  /** As Gitea does: with both signatures, and not again if it is lost. */
  async function tell({ hooks }: Repository, event: string): Promise<void> {
    for (const { url: address, secret, events } of hooks.values()) {
      if (!events.includes(event)) continue;
      const body = JSON.stringify({ action: event });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = {
        'content-type': 'application/json',
        'x-gitea-delivery': randomUUID(),
        'x-gitea-event': event,
        'x-gitea-signature': signature,
        'x-hub-signature-256': `sha256=${signature}`,
      };
      await fetch(address, { method: 'POST', headers, body }).catch(() => undefined);
    }
  }

  async function serveGit(
    request: IncomingMessage,
    response: ServerResponse,
    [, owner, name, what]: RegExpExecArray,
    asked: string | null,
  ): Promise<void> {
    const service = (what === 'info/refs' ? asked : what) as GitService;
    const [, basic = ''] = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const password = Buffer.from(basic, 'base64').toString().split(':')[1] ?? '';
    const scopes = state.tokens.get(password);
    const refuse = (status: number, headers = {}) =>
      void response.writeHead(status, headers).end('refused');
    if (scopes === undefined) return refuse(401, { 'www-authenticate': 'Basic realm="Gitea"' });
    const repository = named(state, `${owner}/${name}`);
    if (repository === undefined || !SERVICES.includes(service)) return refuse(404);
    if (service === 'git-receive-pack' && !/all|write:repository/.test(scopes)) return refuse(403);
    const version = /^version=([12])$/.exec(String(request.headers['git-protocol']))?.[1];
    const git = startBackend({
      gitDir: repository.gitDir,
      service,
      advertise: what === 'info/refs',
      version: version as '1' | '2' | undefined,
      gzip: request.headers['content-encoding'] === 'gzip',
      userId: 'boss',
      env: ENV,
    });
    response.once('close', () => git.kill(new Error('the client has gone')));
    const sent = pipeline(request, git.input).catch(() => undefined);
    const { status, type, body } = await git.answer;
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache' });
    await Promise.all([sent, pipeline(body, response)]);
    await git.ended;
    if (service !== 'git-receive-pack' || what === 'info/refs') return;
    await follow(repository);
    await tell(repository, 'push');
  }
}
