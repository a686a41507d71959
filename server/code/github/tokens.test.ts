import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { HostError } from '../hosts/host-error.ts';
import { appToken, type Minted, notMinted, type Scope, Tokens } from './tokens.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const app = {
  id: 12_345,
  privateKey,
  webhookSecret: 'secret of the webhook',
  apiUrl: 'https://api.github.com',
  webUrl: 'https://github.com',
};
const HOUR = 3_600_000;
const SCOPE: Scope = {
  installationId: 7,
  repositoryIds: [2, 1],
  permissions: { contents: 'read' },
};

/** Makes tokens with a number, and says for what. */
function mint(lifetime = HOUR) {
  const asked: Scope[] = [];
  const tokens = new Tokens(async (scope): Promise<Minted> => {
    asked.push(scope);
    return { token: `ghs_${asked.length}`, lifetime };
  });
  return { asked, tokens };
}

test('the credential of the App is a JWT of RS256 that is valid for less than ten minutes', () => {
  const [header = '', claims = '', signature = ''] = appToken(app, 1_000_000).split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.deepEqual(read(header), { alg: 'RS256', typ: 'JWT' });
  assert.deepEqual(read(claims), { iat: 999_940, exp: 1_000_540, iss: '12345' });
  const signed = Buffer.from(`${header}.${claims}`);
  assert.ok(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url')));
});

test('the private key is not in what the settings print', () => {
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().split('\n')[1];
  for (const shown of [inspect(app, { depth: null }), JSON.stringify(app)])
    assert.ok(!shown.includes(String(secret)) && !shown.includes('PRIVATE KEY'), shown);
});

test('callers at the same time share a token; other repositories or rights have their own', async () => {
  const { asked, tokens } = mint();
  const same = { ...SCOPE, repositoryIds: [1, 2] };
  const all = await Promise.all([SCOPE, same, SCOPE].map((scope) => tokens.get(scope)));
  assert.deepEqual(all, ['ghs_1', 'ghs_1', 'ghs_1']);
  const others: Scope[] = [
    { installationId: 7, permissions: { contents: 'read' } },
    { ...SCOPE, repositoryIds: [1] },
    { ...SCOPE, permissions: { contents: 'write' } },
    { ...SCOPE, installationId: 8 },
  ];
  for (const scope of others) await tokens.get(scope);
  assert.deepEqual(asked, [SCOPE, ...others]);
});

test('a token is made anew before it ends, once it is forgotten, and after a failure', async () => {
  const brief = mint(5 * 60_000);
  assert.equal(await brief.tokens.get(SCOPE), 'ghs_1');
  assert.equal(await brief.tokens.get(SCOPE), 'ghs_2');

  const { tokens } = mint();
  await tokens.get(SCOPE);
  tokens.forget(8);
  assert.equal(await tokens.get(SCOPE), 'ghs_1');
  tokens.forget(7);
  assert.equal(await tokens.get(SCOPE), 'ghs_2');
  assert.ok(tokens.refused(SCOPE), 'it is new: GitHub may know it in a second');
  assert.equal(await tokens.get(SCOPE), 'ghs_2');

  let attempts = 0;
  const failing = new Tokens(async () => {
    attempts += 1;
    throw new HostError('github_unavailable');
  });
  for (const _ of [1, 2]) await assert.rejects(failing.get(SCOPE), { code: 'github_unavailable' });
  assert.equal(attempts, 2);
});

test('why no token is made: gone, suspended, a permission that is named, a repository', () => {
  const refused = (status: number, said: string) =>
    new HostError('github_refused', { status, said });
  const wanted: Scope = {
    installationId: 7,
    permissions: { contents: 'write', checks: 'read', metadata: 'read' },
  };
  const rights = 'The permissions requested are not granted to this installation.';
  const code = (error: HostError) => notMinted(error, wanted, undefined).code;
  assert.equal(code(refused(404, 'Not Found')), 'github_installation_gone');
  assert.equal(
    code(refused(403, 'This installation has been suspended')),
    'github_installation_suspended',
  );
  assert.equal(
    code(refused(422, 'There is at least one repository that does not exist')),
    'github_repository_gone',
  );
  assert.equal(code(new HostError('github_unavailable')), 'github_unavailable');
  const missing = notMinted(refused(422, rights), wanted, { contents: 'read', metadata: 'write' });
  assert.deepEqual(
    [missing.code, missing.permission, missing.status],
    ['github_permission_missing', 'contents=write,checks=read', 422],
  );
});
