import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startGithub } from '../../../testing/fixtures/code/github.ts';
import { walk } from '../../../testing/harness/walk.ts';
import { githubPeople } from './github.ts';
import { ProviderError, type Secrets } from './provider.ts';

const CALLBACK = new URL('http://guildhall.localhost:8080/auth/providers/github/callback');
const fake = await startGithub();
const { clientId, clientSecret } = fake.state.people;
const settings = { clientId, clientSecret, apiUrl: fake.url, webUrl: fake.url };
const github = githubPeople(settings);

const secrets = (): Secrets => ({
  state: crypto.randomUUID(),
  nonce: crypto.randomUUID(),
  verifier: crypto.randomUUID() + crypto.randomUUID(),
});
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error) => {
      assert.ok(error instanceof ProviderError, String(error));
      return error.code;
    },
  );
const back = async (mine: Secrets) => walk(await github.begin(CALLBACK, mine));

test('GitHub says who came back: its number, and the primary address', async () => {
  const emails = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'ada@example.com', primary: true, verified: true },
  ];
  const { account } = fake.signIn('ada', { name: 'Ada', emails });
  const mine = secrets();
  const person = await github.finish(await back(mine), mine);
  assert.deepEqual(person, {
    subject: String(account.id),
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada',
  });
  fake.signIn('eve', { emails: [{ email: 'ada@example.com', primary: true, verified: false }] });
  const theirs = secrets();
  const eve = await github.finish(await back(theirs), theirs);
  assert.deepEqual([eve.emailVerified, eve.name], [false, 'eve']);
});

test('what GitHub answers with 200 and an error has a reason', async () => {
  fake.signIn('ada');
  const mine = secrets();
  const there = await back(mine);
  await github.finish(there, mine);
  assert.equal(await failure(github.finish(there, mine)), 'provider_answer_invalid', 'used code');
  const other = await back(mine);
  const wrong = githubPeople({ ...settings, clientSecret: 'another' });
  assert.equal(await failure(wrong.finish(other, mine)), 'provider_misconfigured');
  const verifier = secrets().verifier;
  assert.equal(
    await failure(github.finish(await back(mine), { ...mine, verifier })),
    'provider_answer_invalid',
  );
  const state = { ...mine, state: secrets().state };
  assert.equal(await failure(github.finish(await back(mine), state)), 'provider_answer_invalid');
  fake.deny();
  assert.equal(await failure(github.finish(await back(mine), mine)), 'provider_denied');
  fake.setUp({ callbackUrls: ['http://elsewhere.localhost:8080/'] });
  assert.equal(await failure(github.finish(await back(mine), mine)), 'provider_misconfigured');
  Object.assign(fake.state.people, { callbackUrls: undefined });
});

test('a person reaches the installations of their account and of their organizations', async () => {
  fake.signIn('grace', { organizations: ['navy'] });
  const mine = [fake.install('grace', { type: 'User' }), fake.install('navy')];
  for (let i = 0; i < 3; i++) fake.install(`stranger-${i}`);
  const token = await github.tokenFor(await back(secrets()), {}).catch((error) => error.code);
  assert.equal(token, 'provider_answer_invalid', 'a code with PKCE needs its verifier');
  const with_ = secrets();
  const ids = await github.installationsOf(await github.tokenFor(await back(with_), with_));
  assert.deepEqual(
    ids,
    mine.map(({ id }) => id),
  );
});

test('GitHub that fails, answers no JSON, or sends a token elsewhere, is unavailable', async () => {
  let asked = 0;
  const broken = createServer((request, response) => {
    asked += 1;
    if (request.url === '/html/login/oauth/access_token') return response.end('<h1>no</h1>');
    if (request.url?.startsWith('/moved/'))
      return response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    response.writeHead(503).end('{}');
  });
  await new Promise<void>((done) => broken.listen(0, '127.0.0.1', done));
  after(() => broken.close());
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  for (const path of ['/html', '/moved', '/down']) {
    const people = githubPeople({ ...settings, webUrl: url + path });
    const mine = secrets();
    const current = new URL(`${CALLBACK}?code=x&state=${mine.state}`);
    assert.equal(await failure(people.finish(current, mine)), 'provider_unavailable', path);
  }
  assert.equal(asked, 3);
});
