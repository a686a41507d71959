import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { takeFault } from '../faults.ts';
import { listen } from '../listener.ts';
import { answer } from './api.ts';
import { isPage, servePage } from './browser-pages.ts';
import { control } from './control.ts';
import type { Asked, FakeGithub } from './fake.ts';
import { executes, type Fault, send } from './faults.ts';
import { makeFolder, removeFolder } from './git/folder.ts';
import { isGit, serveGit } from './git/serve.ts';
import { installationControlsOf } from './installation-controls.ts';
import { issueControlsOf } from './issue-controls.ts';
import { exhaust } from './limits.ts';
import { serveLog } from './logs.ts';
import { peopleControlsOf } from './people.ts';
import { reportControlsOf } from './report-controls.ts';
import { repositoryControlsOf } from './repository-controls.ts';
import { reviewControlsOf } from './review-controls.ts';
import { newState } from './state.ts';
import type { Answered } from './typed.ts';
import { deliver, follow, sign, type Target } from './webhooks/deliver.ts';

const ENTERPRISE = '/api/v3';
const CONTROL = '/_control/';

/** `port`: default any. `slug`: of the App. */
interface FakeGithubOptions {
  port?: number;
  slug?: string;
  webhookSecret?: string;
  webhookUrl?: string;
}

/** Of the Apps of all fakes of a process: one takes a tenth of a second to make. */
let keyPair: ReturnType<typeof makeKeyPair> | undefined;

const makeKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });

/**
 * Starts a stateful fake of GitHub's API, with real Git repositories, that the octokit
 * packages and git can talk to.
 */
export async function startFakeGithub(options: FakeGithubOptions = {}): Promise<FakeGithub> {
  const { slug = 'guildhall-test', webhookSecret = randomUUID() } = options;
  const directory = await makeFolder();
  keyPair ??= makeKeyPair();
  const { privateKey, publicKey } = keyPair;
  const target: Target = { url: options.webhookUrl, secret: webhookSecret, lose: 0 };
  const requests: Asked[] = [];
  const faults: Fault[] = [];
  // What each GET was answered last, for stale reads.
  const lastAnswers = new Map<string, Answered>();
  const listener = await listen(options.port ?? 0, (request, response) => {
    serve(request, response).catch((error) => fail(response, error));
  });
  const logs = await listen(0, (request, response) => serveLog(state, request, response));
  const web = `http://127.0.0.1:${listener.port}`;
  const storage = `http://127.0.0.1:${logs.port}`;
  const state = newState(directory, slug, { api: web, web, storage });

  const fake: FakeGithub = {
    url: web,
    appId: state.app.id,
    privateKey,
    webhookSecret,
    state,
    requests,
    faults,
    fault: (fault) => void faults.push({ ...fault }),
    clearFaults: () => void faults.splice(0),
    exhaust: (id, how) => exhaust(state, id, how),
    ...installationControlsOf(state),
    ...repositoryControlsOf(state),
    ...reportControlsOf(state),
    ...reviewControlsOf(state),
    ...issueControlsOf(state),
    ...peopleControlsOf(state),
    webhook: (url) => void Object.assign(target, { url }),
    deliver: (delivery) => deliver(state, target, delivery),
    automatic: (how) => {
      state.onEvent = (event) => void (how && follow(state, target, event, how));
    },
    loseEvents: (number) => void Object.assign(target, { lose: number }),
    sign: (event, secret = webhookSecret) => sign(state, event, secret),
    close: async () => {
      state.onEvent = () => undefined;
      await Promise.all([listener.close(), logs.close()]);
      await removeFolder(directory);
    },
  };
  return fake;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', web);
    if (isPage(url.pathname)) return servePage(state, fake, request, response, url);
    if (isGit(url.pathname)) return gitServed(request, response, url.pathname);
    if (url.pathname.startsWith(CONTROL)) return commanded(request, response, url);
    const prefix = url.pathname.startsWith(`${ENTERPRISE}/`) ? ENTERPRISE : '';
    const path = url.pathname.slice(prefix.length);
    const { method = 'GET' } = request;
    const at = { ...state.at, api: web + prefix };
    const fault = takeFault(faults, method, path);
    if (fault?.kind === 'slow') await pause(fault.ms ?? 1000);
    const { authorization } = request.headers;
    const body = await text(request);
    const incoming = { method, path, query: url.searchParams, authorization, body, fault };
    const asks = executes(fault) || fault?.kind === 'secondaryLimit';
    const answered = asks ? await answer(state, at, publicKey, incoming) : NOT_EXECUTED;
    const version = request.headers['x-github-api-version']?.toString();
    requests.push({ method, path, status: answered.status, fault: fault?.kind, version });
    const key = `${prefix}${path}${url.search}`;
    const shown = (fault?.kind === 'stale' && lastAnswers.get(key)) || answered;
    if (method === 'GET' && executes(fault)) lastAnswers.set(key, answered);
    const headers = {
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': randomUUID(),
      ...shown.headers,
    };
    send(response, { ...shown, headers }, fault);
  }

  async function gitServed(request: IncomingMessage, response: ServerResponse, path: string) {
    // `*` stands for the API only.
    const named = faults.some(({ match }) => match.includes('.git/'));
    const fault = named ? takeFault(faults, request.method ?? 'GET', path) : undefined;
    if (!executes(fault)) return send(response, NOT_EXECUTED, fault);
    return serveGit(state, request, response, fault);
  }

  async function commanded(request: IncomingMessage, response: ServerResponse, url: URL) {
    const { method = 'GET' } = request;
    const body = await text(request);
    const name = url.pathname.slice(CONTROL.length);
    const input = method === 'GET' ? JSON.stringify(Object.fromEntries(url.searchParams)) : body;
    send(response, await control(fake, method, name, input), undefined);
  }
}

/** A fault of the fake itself, which must not look like one that a test has asked for. */
function fail(response: ServerResponse, error: Error): void {
  // A client that disconnects halfway is not an error here.
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`${error.stack}\n`);
}

const NOT_EXECUTED: Answered = { status: 0, body: undefined };
