import Type, { type Static } from 'typebox';
import { list, nullable, object } from '../../http/input/fields.ts';
import { isLoopback } from './loopback.ts';
import { accepts, type Reader } from './readers.ts';

/** As it is: a secret may end with a space. */
const someText = Type.String({ pattern: '[^]' });
const provider = object({
  id: Type.String({ pattern: '^(?!github$)[a-z0-9](-?[a-z0-9]){0,29}$' }),
  name: Type.String({ pattern: '[^]', maxLength: 50 }),
  issuer: someText,
  client_id: someText,
  client_secret: Type.Optional(nullable(someText)),
});
const providers = accepts(list(provider, { maxItems: 20 }), 'body');

/** An OpenID provider, as the operator has set it up. */
export type OidcSettings = ReturnType<typeof settingsOf>;

export const oidcProviders: Reader<OidcSettings[]> = {
  parse: (text) => {
    const all = providers(parsed(text))?.map(settingsOf);
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
  /** Without one, the client is public: PKCE alone protects the code. */
  clientSecret: client_secret ?? undefined,
});

function isSafe(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.username || url.search || url.hash) return false;
  const isHere = isLoopback(url.hostname) || url.hostname.endsWith('.localhost');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere);
}
