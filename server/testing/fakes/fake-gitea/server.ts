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
import { type Answer, type Call, NOT_FOUND, refusal } from './calls.ts';
import { reply } from './reviews.ts';
import { ROUTES } from './routes.ts';
import { follow, named, type State } from './state.ts';

/** A fake of Gitea: the part of its API that Guildhall uses, over real Git repositories. */
interface FakeGitea extends TestGitea {
  state: State;
  /** Answers the next requests so, instead of what they ask for. */
  instead: (((request: IncomingMessage, response: ServerResponse) => void) | undefined)[];
  /** Method and path of each request to the API. */
  requests: string[];
  /** Which requests fail, before anything is done. */
  fail: ((path: string) => boolean) | undefined;
  /** Of which the answer is lost, after it was done. */
  lose: ((method: string, path: string) => boolean) | undefined;
  /** Once the webhooks of all requests so far are answered: they come after the answer, as Gitea's do. */
  told(): Promise<void>;
}

const GIT_PATH = /^\/([^/]+)\/([^/]+)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const ENV = asEnvironment({
  'safe.directory': '*',
  'http.receivepack': 'true',
  'http.uploadpack': 'true',
  'gc.auto': '0',
});

type Token = State['tokens'] extends Map<string, infer Each> ? Each : never;
type Event = NonNullable<Answer['event']>;

const NOBODY = { id: 0, login: '', admin: false };

/** Whether a token with these scopes may do it: each part of the API has one to read, one to write. */
function isCovered(scopes: string, method: string, path: string): boolean {
  if (path === '/version' || scopes === 'all') return true;
  const of =
    path === '/user'
      ? 'user'
      : /^\/repos\/[^/]+\/[^/]+\/issues\//.test(path)
        ? 'issue'
        : 'repository';
  const enough = method === 'GET' ? [`read:${of}`, `write:${of}`] : [`write:${of}`];
  return scopes.split(',').some((scope) => enough.includes(scope));
}

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
  const boss = { id: 1, login: 'boss', admin: true };
  const state: State = {
    url,
    directory,
    tokens: new Map([[token, { person: boss, scopes: 'all' }]]),
    people: new Map([[boss.login, boss]]),
    repositories: new Map(),
    former: new Map(),
    nextId: 1,
    nextComment: 1,
    nextReview: 1,
  };
  const telling = new Set<Promise<void>>();
  const fake: FakeGitea = {
    url,
    token,
    state,
    instead: [],
    requests: [],
    fail: undefined,
    lose: undefined,
    told: async () => {
      await Promise.all(telling);
    },
    newToken: async (scopes, login = boss.login) => {
      const person = state.people.get(login);
      if (person === undefined) throw new Error(`There is no account ${login}`);
      const made = randomBytes(20).toString('hex');
      state.tokens.set(made, { person, scopes });
      return made;
    },
    newPerson: async (login) => {
      const person = { id: state.people.size + 1, login, admin: false };
      state.people.set(login.toLowerCase(), person);
    },
    reply: async ({ pulls, review, by, body }) => {
      const [, , owner, name] = pulls.split('/');
      const repository = named(state, `${owner}/${name}`);
      if (repository === undefined) throw new Error(`There is no ${pulls}`);
      await tell(reply(state, repository, { review, by, body }));
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
    if (fake.fail?.(pathname)) return void response.writeHead(502).end();
    const body = await text(request);
    const {
      status,
      body: answered,
      headers,
      event,
    } = await answer(method, pathname, {
      query: searchParams,
      body: body === '' ? {} : JSON.parse(body),
      token: state.tokens.get(request.headers.authorization?.replace('token ', '') ?? ''),
    });
    if (fake.lose?.(method, pathname)) return void response.destroy();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answered === undefined ? '' : JSON.stringify(answered));
    if (event !== undefined) await tell(event);
  }

  async function answer(
    method: string,
    pathname: string,
    asked: Pick<Call, 'query' | 'body'> & { token: Token | undefined },
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
      const { token: { person, scopes } = { person: NOBODY, scopes: 'all' }, query, body } = asked;
      if (path !== '/version' && person === NOBODY)
        return refusal(401, 'invalid username, password or token');
      if (!isCovered(scopes, method, path))
        return refusal(403, 'token does not have at least one of required scope(s)');
      const params = parts.filter((_, i) => wanted[i] === ':');
      return handle({ state, by: person, params, query, body });
    }
    return NOT_FOUND;
  }

  function tell(event: Event): Promise<void> {
    const told = deliver(event).finally(() => telling.delete(told));
    telling.add(told);
    return told;
  }

  /** As Gitea does: with both signatures, and not again if it is lost. */
  async function deliver({ repository, name, header = name }: Event): Promise<void> {
    for (const { url: address, secret, events } of repository.hooks.values()) {
      // What is asked for by the name of all of its kind.
      const all = name.startsWith('pull_request') && events.includes('pull_request');
      if (!all && !events.includes(name)) continue;
      const body = JSON.stringify({ action: name });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = {
        'content-type': 'application/json',
        'x-gitea-delivery': randomUUID(),
        'x-gitea-event': header,
        'x-gitea-event-type': name,
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
    const scopes = state.tokens.get(password)?.scopes;
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
    await tell({ repository, name: 'push' });
  }
}
