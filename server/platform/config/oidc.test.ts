import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../../testing/harness/config-faults.ts';
import { readConfig } from './config.ts';

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
  const { oidc } = readConfig(
    withProviders(ACME, open, { ...open, id: 'open-2', client_secret: null }),
  ).providers;
  assert.deepEqual(
    oidc.map(({ id, clientId, clientSecret }) => [id, clientId, clientSecret]),
    [
      ['acme', 'guildhall', 'hunter2hunter2'],
      ['open-1', 'guildhall', undefined],
      ['open-2', 'guildhall', undefined],
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
