import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type GitService, SERVICES, startBackend } from '../../../../code/git/backend.ts';
import { asEnvironment } from '../../../../code/repositories/git.ts';
import { callerWith } from '../credentials.ts';
import { type Fault, send } from '../faults.ts';
import { look } from '../look.ts';
import { Refusal } from '../refusals.ts';
import {
  fullName,
  type Repository,
  repositoryNamed,
  type State,
  type Token,
  visibleTo,
} from '../state.ts';

/** Git over HTTP: `x-access-token` and an installation's token as name and password. */

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

export const isGit = (path: string): boolean => PATH.test(path);

// In place of those of Guildhall's own Git server. As at GitHub, a commit can be fetched by its
// name, and only GitHub writes the references of pull requests.
const SETTINGS = {
  'safe.directory': '*',
  'core.hooksPath': join(import.meta.dirname, 'hooks'),
  'http.receivepack': 'true',
  'http.uploadpack': 'true',
  'receive.hideRefs': 'refs/pull',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.autogc': 'false',
  'gc.auto': '0',
  'uploadpack.allowAnySHA1InWant': 'true',
  'uploadpack.allowFilter': 'true',
};

const ENV = asEnvironment(SETTINGS);

/** Answers a clone, a fetch or a push. */
export async function serveGit(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const { web } = state.at;
  const url = new URL(request.url ?? '', web);
  const [, owner = '', name = '', what = ''] = PATH.exec(url.pathname) ?? [];
  const service = (what === 'info/refs' ? url.searchParams.get('service') : what) as GitService;
  if (!SERVICES.includes(service)) return answer(response, 403, 'Please upgrade your git client.');
  const asked = `${decodeURIComponent(owner)}/${decodeURIComponent(name)}`;
  const found = permitted(state, asked, service, request.headers.authorization);
  if ('status' in found) return answer(response, found.status, found.text);
  if (found.moved) {
    const location = `${web}/${fullName(found.repository)}.git/${what}${url.search}`;
    return void response.writeHead(301, { location }).end();
  }
  const asking = {
    service,
    advertise: what === 'info/refs',
    forHook: forHook(found.repository, found.token),
    fault,
  };
  // Whoever has pushed may ask the API at once.
  const pushed = () => look(state, found.repository, state.bot);
  await exchange(found.repository, asking, request, response, pushed);
}

interface Asking {
  service: GitService;
  advertise: boolean;
  forHook: Record<string, string>;
  fault: Fault | undefined;
}

/** What the hook needs to know. */
const forHook = ({ required }: Repository, { permissions }: Pick<Token, 'permissions'>) => ({
  FAKE_GITHUB_WORKFLOWS: permissions.workflows ?? '',
  FAKE_GITHUB_PROTECTED: [...required.keys()].map((branch) => `refs/heads/${branch}`).join(' '),
});

const answer = (response: ServerResponse, status: number, text: string): void =>
  void response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}),
    })
    .end(text);

type Found =
  | { repository: Repository; moved: boolean; token: Pick<Token, 'permissions'> }
  | { status: number; text: string };

function permitted(
  state: State,
  asked: string,
  service: GitService,
  authorization: string | undefined,
): Found {
  const former = state.repositories.get(state.formerNames.get(asked.toLowerCase()) ?? 0);
  const repository = repositoryNamed(state, asked) ?? former;
  const moved = repositoryNamed(state, asked) === undefined;
  const reads = service === 'git-upload-pack';
  if (authorization === undefined) {
    if (reads && repository?.private === false)
      return { repository, moved, token: { permissions: {} } };
    return { status: 401, text: 'Repository not found.' };
  }
  const [, credentials = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const [, password = ''] =
    /^[^:]*:(.*)$/.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  try {
    const { installation, token } = callerWith(state, password);
    const visible = visibleTo(state, installation, token.repositoryIds);
    const mine = repository !== undefined && visible.includes(repository);
    if (repository === undefined || (!mine && (repository.private || !reads)))
      return { status: 404, text: 'Repository not found.' };
    const { contents } = token.permissions;
    if (repository.private && contents === undefined)
      return { status: 403, text: 'Write access to repository not granted.' };
    if (!reads && contents !== 'write')
      return { status: 403, text: `Permission to ${asked}.git denied to ${state.bot.login}.` };
    if (!reads && repository.archived)
      return { status: 403, text: 'This repository was archived so it is read-only.' };
    return { repository, moved, token };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = 'Invalid username or token. Password authentication is not supported.';
    return error.status === 401 ? { status: 401, text } : { status: 403, text: error.message };
  }
}

async function exchange(
  { gitDir }: Repository,
  { service, advertise, forHook, fault }: Asking,
  request: IncomingMessage,
  response: ServerResponse,
  pushed: () => Promise<unknown>,
): Promise<void> {
  const version = /^version=([12])$/.exec(String(request.headers['git-protocol']))?.[1];
  const git = startBackend({
    gitDir,
    service,
    advertise,
    version: version as '1' | '2' | undefined,
    gzip: request.headers['content-encoding'] === 'gzip',
    userId: 'x-access-token',
    env: { ...ENV, ...forHook },
  });
  response.once('close', () => git.kill(new Error('the client has gone')));
  const sent = pipeline(request, git.input).catch(() => undefined);
  const { status, type, body } = await git.answer;
  const headers = { 'content-type': type, 'cache-control': 'no-cache' };
  if (service === 'git-upload-pack' || advertise) {
    response.writeHead(status, headers);
    await Promise.all([sent, pipeline(body, response)]);
    return git.ended;
  }
  const report = await buffer(body);
  await git.ended;
  await pushed();
  // The push has happened, though its client may not learn of it.
  if (fault !== undefined) return send(response, { status, body: undefined }, fault);
  response.writeHead(status, headers).end(report);
}
