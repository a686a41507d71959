import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

const ACME = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://id.acme.example',
  client_id: 'guildhall',
  client_secret: 'hunter2hunter2',
};
const withProviders = (...list: unknown[]) => ({ OIDC_PROVIDERS: JSON.stringify(list) });

test('several OpenID providers, each with or without a secret', () => {
  assert.deepEqual(readConfig({}).providers, { oidc: [], github: undefined });
  const { client_secret: _, ...open } = { ...ACME, id: 'open-1', issuer: 'http://localhost:9/a' };
  const { oidc } = readConfig(withProviders(ACME, open)).providers;
  assert.deepEqual(
    oidc.map(({ id, clientId, clientSecret }) => [id, clientId, clientSecret]),
    [
      ['acme', 'guildhall', 'hunter2hunter2'],
      ['open-1', 'guildhall', undefined],
    ],
  );
});

test('a provider that could not work is a fault, which shows no secret', () => {
  const wrong = [
    withProviders(ACME, ACME),
    withProviders({ ...ACME, id: 'github' }),
    withProviders({ ...ACME, id: 'Acme' }),
    withProviders({ ...ACME, id: '../x' }),
    withProviders({ ...ACME, name: '' }),
    withProviders({ ...ACME, issuer: 'http://id.acme.example' }),
    withProviders({ ...ACME, issuer: 'https://id.acme.example/?a=b' }),
    withProviders({ ...ACME, client_id: undefined }),
    withProviders({ ...ACME, clientsecret: 'hunter2' }),
    withProviders('acme'),
    { OIDC_PROVIDERS: JSON.stringify(ACME) },
    { OIDC_PROVIDERS: '{hunter2' },
  ];
  for (const env of wrong) {
    const [fault = '', ...more] = faultsOf(env as Record<string, string>);
    assert.match(fault, /^OIDC_PROVIDERS must be a JSON list/, env.OIDC_PROVIDERS);
    assert.ok(!fault.includes('hunter2') && more.length === 0);
  }
});

test('GitHub needs both settings, and an address to which a secret may be sent', () => {
  const id = { GITHUB_OAUTH_CLIENT_ID: 'Iv1.a629723000000000' };
  const secret = { GITHUB_OAUTH_CLIENT_SECRET: 'hunter2hunter2' };
  const both = readConfig({ ...id, ...secret, GITHUB_API_URL: 'https://ghe.example/api/v3' });
  assert.deepEqual(both.providers.github, {
    clientId: 'Iv1.a629723000000000',
    clientSecret: 'hunter2hunter2',
    apiUrl: 'https://ghe.example/api/v3',
    webUrl: 'https://ghe.example',
  });
  assert.deepEqual(faultsOf(id), [
    'GITHUB_OAUTH_CLIENT_SECRET must be set too: signing in with GitHub needs both',
  ]);
  assert.deepEqual(faultsOf(secret), [
    'GITHUB_OAUTH_CLIENT_ID must be set too: signing in with GitHub needs both',
  ]);
  assert.deepEqual(faultsOf({ ...id, ...secret, GITHUB_API_URL: 'http://ghe.example/api/v3' }), [
    'GITHUB_API_URL must begin with https://: tokens are sent there',
  ]);
});
