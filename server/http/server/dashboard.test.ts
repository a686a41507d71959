import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fastify from 'fastify';
import { Connections } from './connections.ts';
import { serveDashboard } from './dashboard.ts';

/** What `/` answers does not depend on whether this checkout has built its dashboard. */
async function served(built: string, { stripe = false } = {}) {
  const app = fastify();
  const connections = new Connections({
    total: 10,
    perAddress: 10,
    perNetwork: 10,
    sendTimeout: 1_000,
    trustedProxies: [],
  } as never);
  const paths = await serveDashboard(app, connections, { built, stripe });
  await app.ready();
  return { app, paths: paths.map(({ path }) => path) };
}

test('302: without built files, the address of the server leads to its documentation', async () => {
  const { app, paths } = await served(join(tmpdir(), 'guildhall-nothing-was-built'));
  const reply = await app.inject('/');
  assert.deepEqual([reply.statusCode, reply.headers.location], [302, '/docs']);
  assert.deepEqual(paths, ['/']);
  assert.equal((await app.inject('/sign-in')).statusCode, 404);
  await app.close();
});

test('200: with built files, its addresses are one page, and the files are served as they are', async () => {
  const built = await mkdtemp(join(tmpdir(), 'guildhall-built-'));
  await writeFile(join(built, 'index.html'), '<h1>Built</h1>');
  await writeFile(join(built, 'icon.svg'), '<svg/>');
  const { app, paths } = await served(built);
  for (const path of ['/', '/sign-in', '/tasks', '/projects/x/tasks/y']) {
    const reply = await app.inject(path);
    assert.deepEqual([reply.statusCode, reply.body], [200, '<h1>Built</h1>'], path);
    assert.equal(reply.headers['cache-control'], 'no-cache');
    assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'/);
  }
  assert.ok(paths.includes('/sign-in') && paths.includes('/sign-in/*'));
  assert.equal((await app.inject('/icon.svg')).body, '<svg/>');
  assert.equal((await app.inject('/none.js')).statusCode, 404);
  await app.close();
  await rm(built, { recursive: true });
});

test('what the built page itself contains is allowed by its hash, on no file and nothing else', async () => {
  const built = await mkdtemp(join(tmpdir(), 'guildhall-built-'));
  await mkdir(join(built, 'assets'));
  await writeFile(join(built, 'assets/a.js'), 'a()');
  const page = '<script type="module" src="/assets/a.js"></script><script async>begin()</script>';
  await writeFile(join(built, 'index.html'), `${page}\n<style>\nb {}\n</style>`);
  const { app } = await served(built, { stripe: true });
  const policyOf = async (path: string) =>
    String((await app.inject(path)).headers['content-security-policy']);
  const own = (text: string) => `'self' 'sha256-${hash('sha256', text, 'base64')}'`;
  const [script, style] = [own('begin()'), own('\nb {}\n')];
  for (const path of ['/', '/sign-in', '/projects/x/tasks/y'])
    assert.ok((await policyOf(path)).endsWith(`script-src ${script}; style-src ${style}`), path);
  const ofStripe = await policyOf('/account/stripe');
  assert.ok(
    ofStripe.endsWith(`script-src ${script} https://js.stripe.com; style-src ${style}`),
    ofStripe,
  );
  assert.match(await policyOf('/assets/a.js'), /script-src 'self'; style-src 'self'$/);
  for (const path of ['/', '/assets/a.js']) assert.doesNotMatch(await policyOf(path), /unsafe/);
  await app.close();
  await rm(built, { recursive: true });
});

test('the page on which a card is entered may load Stripe, if this server uses it, and no other page', async () => {
  const built = await mkdtemp(join(tmpdir(), 'guildhall-built-'));
  await writeFile(join(built, 'index.html'), '<h1>Built</h1>');
  for (const stripe of [true, false]) {
    const { app } = await served(built, { stripe });
    const policyOf = async (path: string) =>
      String((await app.inject(path)).headers['content-security-policy']);
    for (const path of ['/account/stripe', '/account/stripe?setup=1'])
      assert.equal((await policyOf(path)).includes('https://js.stripe.com'), stripe, path);
    for (const path of ['/', '/account/stripe/x', '/account/billing', '/sign-in'])
      assert.doesNotMatch(await policyOf(path), /stripe|frame-src/);
    await app.close();
  }
  await rm(built, { recursive: true });
});
