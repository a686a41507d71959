import * as client from 'openid-client';
import type { OidcSettings } from '../../../platform/config/config.ts';
import type { Person, Provider, ProviderFailure } from './provider.ts';
import { ProviderError } from './provider.ts';

const TIMEOUT_SECONDS = 10;
/** Providers change their keys and addresses now and then. */
const KEPT_MS = 3_600_000;

/** Sign-in with an OpenID provider (OpenID Connect Core 1.0, code flow with PKCE and nonce). */
export function oidcProvider(settings: OidcSettings): Provider {
  let found: { at: number; config: Promise<client.Configuration> } | undefined;

  // Asked for when it is first needed, so that a provider that is down keeps nothing from starting.
  const configuration = (): Promise<client.Configuration> => {
    if (found === undefined || Date.now() - found.at > KEPT_MS) {
      const mine = { at: Date.now(), config: discovered(settings) };
      found = mine;
      mine.config.catch(() => {
        if (found === mine) found = undefined;
      });
    }
    return found.config;
  };

  return {
    id: settings.id,
    name: settings.name,
    begin: (callback, { state, nonce, verifier }) =>
      asking(async () =>
        client.buildAuthorizationUrl(await configuration(), {
          redirect_uri: callback.href,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      ),
    finish: (current, { state, nonce, verifier }) =>
      asking(async () => {
        const config = await configuration();
        const tokens = await client.authorizationCodeGrant(config, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as client.IDToken;
        // Many providers say only there what the address is.
        const more =
          claims.email_verified === undefined && config.serverMetadata().userinfo_endpoint
            ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
            : {};
        return personOf(claims.sub, { ...claims, ...more });
      }),
  };
}

/** Bytes of an answer. Keys, settings and tokens have a few thousand. */
const MOST_BYTES = 256 * 1024;

/** `fetch` whose answers have a bound: the library would read whatever comes, and parse it. */
const boundedFetch: client.CustomFetch = async (url, init) => {
  const answer = await fetch(url, init as RequestInit);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    if (size > MOST_BYTES)
      throw new ProviderError('provider_answer_invalid', 'the answer is too long');
    pieces.push(piece);
  }
  const { status, headers } = answer;
  const body = [204, 205, 304].includes(status) ? null : Buffer.concat(pieces);
  return new Response(body, { status, headers });
};

function discovered({ issuer, clientId, clientSecret }: OidcSettings) {
  const url = new URL(issuer);
  const execute = [client.enableNonRepudiationChecks];
  if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
  return client.discovery(url, clientId, undefined, authentication(clientSecret), {
    execute,
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: boundedFetch,
  });
}

/** How the secret is sent: as the provider prefers, by HTTP Basic unless it says otherwise. */
function authentication(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

function personOf(subject: string, claims: Record<string, unknown>): Person {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  return {
    subject,
    email: text('email'),
    emailVerified: claims.email_verified === true,
    name: text('name') ?? text('preferred_username'),
  };
}

async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError(failureOf(error), error);
  }
}

const UNAVAILABLE = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];
/** What providers say when they are at fault themselves (RFC 6749, 4.1.2.1). */
const TROUBLE = ['server_error', 'temporarily_unavailable'];
/** What they say when the settings are. */
const SETTINGS = ['invalid_client', 'unauthorized_client', 'invalid_scope'];

function failureOf(error: unknown): ProviderFailure {
  if (
    error instanceof client.AuthorizationResponseError ||
    error instanceof client.ResponseBodyError
  ) {
    if (TROUBLE.includes(error.error)) return 'provider_unavailable';
    if (SETTINGS.includes(error.error)) return 'provider_misconfigured';
    return error instanceof client.AuthorizationResponseError
      ? 'provider_denied'
      : 'provider_answer_invalid';
  }
  if (error instanceof client.WWWAuthenticateChallengeError) return 'provider_misconfigured';
  const { code } = error as { code?: string };
  // `fetch` throws a TypeError without a code when there is no connection.
  if (error instanceof TypeError && code === undefined) return 'provider_unavailable';
  return UNAVAILABLE.includes(code ?? '') ? 'provider_unavailable' : 'provider_answer_invalid';
}
