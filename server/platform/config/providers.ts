import { checkApiUrl, webUrlOf } from './github.ts';
import type { ReadSettings, Values } from './read-settings.ts';
import { type Reader, secretText } from './readers.ts';
import { optional } from './setting.ts';

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

const FIELDS = ['id', 'name', 'issuer', 'client_id', 'client_secret'];
const ID = /^[a-z0-9](-?[a-z0-9]){0,29}$/;
const LOOPBACK = /^(localhost|[\w-]+\.localhost|127(\.\d+){3}|\[::1\])$/;

const oidcProviders: Reader<OidcSettings[]> = {
  parse: (text) => {
    const list = parsed(text);
    if (!Array.isArray(list) || list.length > 20) return undefined;
    const all = list.map(providerOf);
    const ids = new Set(all.map((one) => one?.id));
    return all.every((one) => one !== undefined) && ids.size === all.length ? all : undefined;
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

function providerOf(value: unknown): OidcSettings | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Record<string, unknown>;
  if (Object.keys(given).some((field) => !FIELDS.includes(field))) return undefined;
  const { id, name, issuer, client_id: clientId, client_secret: clientSecret } = given;
  const texts = [id, name, issuer, clientId, clientSecret ?? 'none'];
  if (!texts.every((each) => typeof each === 'string' && each !== '')) return undefined;
  if (!ID.test(id as string) || id === 'github' || (name as string).length > 50) return undefined;
  const url = URL.parse(issuer as string);
  if (url === null || url.username || url.search || url.hash) return undefined;
  const isSafe =
    url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isSafe ? ({ id, name, issuer, clientId, clientSecret } as OidcSettings) : undefined;
}

/** The environment variables of sign-in with accounts elsewhere. */
export const PROVIDER_SETTINGS = {
  OIDC_PROVIDERS: optional(
    oidcProviders,
    'a JSON list of OpenID providers with which people may sign in ' +
      '([providers](operations/sign-in.md#providers))',
  ),
  GITHUB_OAUTH_CLIENT_ID: optional(
    secretText,
    'lets people sign in with GitHub, and connect it, by this client ID of the GitHub App ' +
      '([GitHub](github.md#people)), together with the next one',
  ),
  GITHUB_OAUTH_CLIENT_SECRET: optional(secretText, 'a client secret of the same App'),
};

/** Where people can sign in instead of here. */
export interface ProviderSettings {
  oidc: OidcSettings[];
  github: GithubOauth | undefined;
}

export function providers(values: Values, faults: ReadSettings['faults']): ProviderSettings {
  const {
    OIDC_PROVIDERS: oidc = [],
    GITHUB_OAUTH_CLIENT_ID: clientId,
    GITHUB_OAUTH_CLIENT_SECRET: clientSecret,
    GITHUB_API_URL: apiUrl,
  } = values;
  if (clientId === undefined && clientSecret === undefined) return { oidc, github: undefined };
  if (clientId === undefined || clientSecret === undefined) {
    const missing =
      clientId === undefined ? 'GITHUB_OAUTH_CLIENT_ID' : 'GITHUB_OAUTH_CLIENT_SECRET';
    faults.push(`${missing} must be set too: signing in with GitHub needs both`);
    return { oidc, github: undefined };
  }
  checkApiUrl(apiUrl, faults);
  return { oidc, github: { clientId, clientSecret, apiUrl, webUrl: webUrlOf(apiUrl) } };
}
