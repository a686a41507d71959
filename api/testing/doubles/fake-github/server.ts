import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../fake-stripe/listener.ts';
import { answer } from './api.ts';
import { type Controls, controlsOf } from './controls.ts';
import { isGit, serveGit } from './git/serve.ts';
import type { Addresses } from './router.ts';
import { newState, type State } from './state.ts';

const ENTERPRISE = '/api/v3';

/** `port`: default any. `slug`: of the App. */
export interface FakeGithubOptions {
  port?: number;
  slug?: string;
  webhookSecret?: string;
}

/** A GitHub of one's own, with one App. */
export interface FakeGithub extends Controls {
  /** For GITHUB_API_URL. With `/api/v3` after it, the addresses are those of an Enterprise server. */
  readonly url: string;
  readonly appId: number;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly state: State;
  /** Every request to the API, in order of arrival. */
  readonly requests: { method: string; path: string; status: number }[];
  close(): Promise<void>;
}

/**
 * Starts a stateful stand-in for GitHub's API, with real Git repositories, that the octokit
 * packages and git can talk to.
 */
export async function startFakeGithub(options: FakeGithubOptions = {}): Promise<FakeGithub> {
  const { slug = 'guildhall-test', webhookSecret = randomUUID() } = options;
  const directory = await mkdtemp(join(tmpdir(), 'fake-github-'));
  const state = newState(directory, slug);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const requests: FakeGithub['requests'] = [];
  const listener = await listen(options.port ?? 0, (request, response) => {
    // A client that disconnects halfway is not an error here.
    serve(request, response).catch(() => response.destroy());
  });
  const web = `http://127.0.0.1:${listener.port}`;

  return {
    url: web,
    appId: state.app.id,
    privateKey,
    webhookSecret,
    state,
    requests,
    ...controlsOf(state),
    close: async () => {
      await listener.close();
      await rm(directory, { recursive: true, force: true });
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', web);
    if (isGit(url.pathname)) return serveGit(state, web, request, response);
    const prefix = url.pathname.startsWith(`${ENTERPRISE}/`) ? ENTERPRISE : '';
    const at: Addresses = { api: web + prefix, web, storage: web };
    const { method = 'GET' } = request;
    const path = url.pathname.slice(prefix.length);
    const { authorization } = request.headers;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const incoming = { method, path, query: url.searchParams, authorization, body };
    const { status, body: shown, headers } = await answer(state, at, publicKey, incoming);
    requests.push({ method, path, status });
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': randomUUID(),
      ...headers,
    });
    response.end(shown === undefined ? '' : JSON.stringify(shown));
  }
}
