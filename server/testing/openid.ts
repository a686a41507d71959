import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { Provider } from 'oidc-provider';

/** A person at the provider, and what it says about them. */
interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** A real OpenID provider for one test file, at which everyone has signed in already. */
interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who sits at the browser. */
  signIn(person: Claims): void;
  /** They refuse the next attempt. */
  deny(): void;
  close(): Promise<void>;
}

/** `callbacks`: where it may send browsers to. */
export async function startProvider(callbacks: string[]): Promise<TestProvider> {
  const people = new Map<string, Claims>();
  let current: Claims = { sub: 'no one' };
  let denies = false;
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['guildhall', 'a secret of the client, for tests'];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: callbacks,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the cookies, for tests'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => people.get(id) as never,
    }),
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (denies) {
      denies = false;
      const result = { error: 'access_denied', error_description: 'The person said no' };
      return provider.interactionFinished(request, response, result);
    }
    if (prompt.name === 'login') {
      people.set(current.sub, current);
      const result = { login: { accountId: current.sub, remember: false } };
      return provider.interactionFinished(request, response, result);
    }
    const grant = new provider.Grant({
      accountId: session?.accountId,
      clientId: params.client_id as string,
    });
    grant.addOIDCScope('openid email profile');
    const result = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: true,
    });
  }

  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  after(close);
  return {
    issuer,
    clientId,
    clientSecret,
    signIn: (person) => {
      current = person;
    },
    deny: () => {
      denies = true;
    },
    close,
  };
}
