import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../server/testing/clients/browser.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser } from './browser.ts';

// No page here: what a real browser makes of the options, and the server of its answers.

const PUBLIC_URL = 'http://localhost:8080';

test('a real browser registers a passkey, and signs in with it alone', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD, env: { PUBLIC_URL } });
  const user = await harness.fixtures.user();
  const { cookie } = await signedIn(harness, user);
  const context = await browser.newContext({ locale: 'en-US' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: PUBLIC_URL, httpOnly: true, sameSite: 'Lax' }]);
  // The port of the test's server is not that of the public address, which passkeys are bound to.
  await context.route(`${PUBLIC_URL}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<p>page</p>' });
    return route.fulfill({ response: await route.fetch({ url: harness.url + pathname }) });
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await page.goto(PUBLIC_URL);
  const script = (kind: 'create' | 'get', path: string) => `(async () => {
    const post = (to, body) => fetch(to, { method: 'POST', ...(body && {
      headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) });
    const options = await (await post('${path}/options')).json();
    const publicKey = PublicKeyCredential.${
      kind === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
    }(options);
    const credential = (await navigator.credentials.${kind}({ publicKey })).toJSON();
    const name = ${kind === 'create' ? "{ name: 'Laptop' }" : '{}'};
    const answer = await post('${path}', { ...name, credential });
    return [answer.status, await answer.json()];
  })()`;
  const added = (await page.evaluate(script('create', '/auth/passkeys'))) as [number, object];
  assert.equal(added[0], 201, JSON.stringify(added[1]));
  const proven = await page.evaluate(script('get', '/auth/proof/passkey'));
  assert.equal((proven as [number])[0], 200, JSON.stringify(proven));
  await context.clearCookies();
  const signed = await page.evaluate(script('get', '/auth/sign-in/passkey'));
  assert.deepEqual(signed, [200, { pending: false }]);
  const session = (await page.evaluate("fetch('/auth/session').then((r) => r.json())")) as {
    user: { id: string };
  };
  assert.equal(session.user.id, user.id);
});
