import Type, { type Static } from 'typebox';
import { list, object } from '../../http/input/fields.ts';
import { checkApiUrl, webUrlOf } from './github.ts';
import { isLoopback } from './loopback.ts';
import { accepts, type Reader } from './readers.ts';
import type { Values } from './settings.ts';

/** An OpenID provider, as the operator has set it up. */
export interface OidcSettings {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  /** Without one, the client is public: PKCE alone protects the code. */
  clientSecret: string | undefined;
}

/** The client of a GitHub App, or of an OAuth App, with which people sign in. */
export interface GithubOauth {
  clientId: string;
  clientSecret: string;
  /** GitHub's API, without a trailing slash. */
  apiUrl: string;
  /** Where people reach the same GitHub. */
  webUrl: string;
}

/** As it is: a secret may end with a space. */
const someText = Type.String({ pattern: '[^]' });
const provider = object({
  id: Type.String({ pattern: '^(?!github$)[a-z0-9](-?[a-z0-9]){0,29}$' }),
  name: Type.String({ pattern: '[^]', maxLength: 50 }),
  issuer: someText,
  client_id: someText,
  client_secret: Type.Optional(someText),
});
const providerList = accepts(list(provider, { maxItems: 20 }), 'body');

export const oidcProviders: Reader<OidcSettings[]> = {
  parse: (text) => {
    const all = providerList(parsed(text))?.map(settingsOf);
    const ids = new Set(all?.map(({ id }) => id));
    return all?.every(({ issuer }) => isSafe(issuer)) && ids.size === all.length ? all : undefined;
  },
  mustBe:
    'a JSON list of providers, each with its own id (lower-case letters, digits and hyphens; not ' +
    'github), a name, the https:// address of its issuer, a client_id, and usually a client_secret',
  secret: true,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const settingsOf = ({ client_id, client_secret, ...rest }: Static<typeof provider>) => ({
  ...rest,
  clientId: client_id,
  clientSecret: client_secret,
});

function isSafe(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.username || url.search || url.hash) return false;
  const isHere = isLoopback(url.hostname) || url.hostname.endsWith('.localhost');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere);
}

/** Where people can sign in instead of here. */
export function providers(
  values: Values,
  faults: string[],
): { oidc: OidcSettings[]; github: GithubOauth | undefined } {
  const {
    OIDC_PROVIDERS: oidc = [],
    GITHUB_OAUTH_CLIENT_ID: clientId,
    GITHUB_OAUTH_CLIENT_SECRET: clientSecret,
    GITHUB_API_URL: apiUrl,
  } = values;
  if (clientId === undefined && clientSecret === undefined) return { oidc, github: undefined };
  if (clientId === undefined || clientSecret === undefined) {
    const missing = clientId === undefined ? 'ID' : 'SECRET';
    faults.push(
      `GITHUB_OAUTH_CLIENT_${missing} must be set too: signing in with GitHub needs both`,
    );
    return { oidc, github: undefined };
  }
  checkApiUrl(apiUrl, faults);
  return { oidc, github: { clientId, clientSecret, apiUrl, webUrl: webUrlOf(apiUrl) } };
}
