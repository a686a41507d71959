import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { faultsOf } from '../../testing/harness/config-faults.ts';
import { readConfig } from './config.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const APP = {
  GITHUB_APP_ID: '12345',
  GITHUB_APP_PRIVATE_KEY: PEM,
  GITHUB_WEBHOOK_SECRET: 'a secret of the webhook',
};

test('a GitHub App needs its three settings, and the address alone is ignored', () => {
  assert.equal(readConfig({}).github, undefined);
  // GitHub's own runners set it.
  assert.equal(readConfig({ GITHUB_API_URL: 'https://api.github.com' }).github, undefined);
  const { GITHUB_APP_ID, GITHUB_WEBHOOK_SECRET } = APP;
  assert.deepEqual(faultsOf({ GITHUB_APP_ID }), [
    'GITHUB_APP_PRIVATE_KEY and GITHUB_WEBHOOK_SECRET must be set too: a GitHub App needs all three settings',
  ]);
  assert.deepEqual(faultsOf({ GITHUB_APP_ID, GITHUB_WEBHOOK_SECRET }), [
    'GITHUB_APP_PRIVATE_KEY must be set too: a GitHub App needs all three settings',
  ]);
});

test('the key may have its line ends as \\n; both forms of PEM are read', () => {
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const key of [PEM, PEM.replaceAll('\n', '\\n'), pkcs8]) {
    const { github } = readConfig({ ...APP, GITHUB_APP_PRIVATE_KEY: key });
    assert.deepEqual([github?.id, github?.privateKey.equals(privateKey)], [12_345, true]);
  }
});

test('no fault repeats a secret', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ed25519').privateKey;
  const wrong = [
    ...[small, curve].map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString()),
    `${PEM.slice(0, 500)}hunter2`,
    'hunter2',
  ];
  for (const GITHUB_APP_PRIVATE_KEY of wrong)
    assert.deepEqual(faultsOf({ ...APP, GITHUB_APP_PRIVATE_KEY }), [
      'GITHUB_APP_PRIVATE_KEY must be the private key of the GitHub App: a PEM file, on one line with \\n for line ends',
    ]);
  assert.deepEqual(faultsOf({ ...APP, GITHUB_WEBHOOK_SECRET: 'hunter2' }), [
    'GITHUB_WEBHOOK_SECRET must be at least 16 characters long',
  ]);
});

test('the address where Git clones follows from that of the API', () => {
  const web = (GITHUB_API_URL: string) => readConfig({ ...APP, GITHUB_API_URL }).github?.webUrl;
  assert.equal(readConfig(APP).github?.webUrl, 'https://github.com');
  assert.equal(web('https://ghe.example.com/api/v3/'), 'https://ghe.example.com');
  assert.equal(web('https://api.acme.ghe.com'), 'https://acme.ghe.com');
  assert.equal(web('http://127.0.0.1:4010'), 'http://127.0.0.1:4010');
  const [login] = faultsOf({ ...APP, GITHUB_API_URL: 'https://me:hunter2@ghe.example.com' });
  assert.equal(login, 'GITHUB_API_URL must be an address without a login and without a query');
  const [plain] = faultsOf({ ...APP, GITHUB_API_URL: 'http://ghe.example.com/api/v3' });
  assert.equal(plain, 'GITHUB_API_URL must begin with https://: tokens are sent there');
});

test('signing in with GitHub needs both settings, and an address to which a secret may be sent', () => {
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
