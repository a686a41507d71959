import { createHash, randomBytes } from 'node:crypto';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Browser } from './browser.ts';

export const CALLBACK = 'http://127.0.0.1:33418/callback';

/** What a person answers on the page of consent, and where it sends them. */
export async function consent(
  browser: Browser,
  authorize: URL,
  { readOnly = false } = {},
): Promise<URL> {
  const led = await browser.request('GET', `${authorize.pathname}${authorize.search}`);
  const request = new URL(led.headers.get('location') ?? '', authorize).searchParams.get('request');
  const { status, text, body } = await browser.request('POST', '/auth/application-request', {
    body: { request, read_only: readOnly },
  });
  if (status !== 201) throw new Error(`not connected: ${status} ${text}`);
  return new URL(body.return_to);
}

/**
 * The official client with its own OAuth: it finds the server, registers, sends the person away and
 * exchanges what they come back with.
 */
export async function connectByOauth(
  server: string,
  person: (authorize: URL) => Promise<URL>,
): Promise<{
  client: Client;
  kept: { tokens?: StoredOAuthTokens; client?: StoredOAuthClientInformation };
}> {
  const kept: {
    tokens?: StoredOAuthTokens;
    client?: StoredOAuthClientInformation;
    verifier?: string;
    discovery?: OAuthDiscoveryState;
    authorize?: URL;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'A test', redirect_uris: [CALLBACK] },
    state: () => 'a state/1e5',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.authorize = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier as string,
    saveDiscoveryState: (state) => {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
  };
  const transport = () =>
    new StreamableHTTPClientTransport(new URL('/mcp', server), { authProvider: provider });
  const first = transport();
  const client = new Client({ name: 'a-test', version: '1.0.0' });
  try {
    await client.connect(first);
    throw new Error('the client has connected without a consent');
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  const back = await person(kept.authorize as URL);
  await first.finishAuth(back.searchParams);
  const connected = new Client({ name: 'a-test', version: '1.0.0' });
  await connected.connect(transport());
  return { client: connected, kept };
}

/** A verifier of PKCE, and its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
