import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../server/db/sql.ts';
import { hashOf, newToken } from '../../server/identity/sign-in/session.ts';
import { givePassword, PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { localPath } from '../src/pages/sign-in/local-path.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, visit } from './browser.ts';

/** The pages before the sign-in, and where they lead. */

test('a sign-in leads to a path of this server alone', () => {
  const origin = 'https://guildhall.example.com';
  for (const path of ['/', '/projects/x/tasks/y?panel=code#z', '/account/keys'])
    assert.equal(localPath(path, origin), path);
  assert.equal(localPath(undefined, origin), '/');
  for (const path of [
    '',
    'account',
    'https://elsewhere.example',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/.//elsewhere.example',
    '/\t/elsewhere.example',
    '/a/..//elsewhere.example',
    'javascript:alert(1)',
    '//',
  ])
    assert.equal(localPath(path, origin), '/', path);
});

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD, env: { SIGN_UP: 'open' } });
  const { db, fixtures, url } = harness;

  /** A link as the server mails it, or its operator gives it. */
  async function linkTo(purpose: string, of: { id?: string; email?: string }): Promise<string> {
    const token = newToken();
    await db.many(sql`
      insert into sign_in_link (user_id, email, purpose, token_hash, expires_at)
      values (${of.id ?? null}, ${of.id === undefined ? (of.email ?? null) : null}, ${purpose},
              ${hashOf(token)}, now() + interval '1 hour')`);
    return `/links/${token}`;
  }

  test('a password signs in by keyboard alone, and leads back', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await visit(browser, { url, ...NARROW });
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('A workshop for coding agents: they plan, people approve').waitFor();
    // Passkeys are not offered at an IP address, and the page says why.
    await page.getByText(`Passkeys do not work at ${url}: they need HTTPS`).waitFor();
    await page.getByLabel('Email').focus();
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('do not belong together').waitFor();
    visitor.expectErrors(/401/);
    await visitor.isCleanInEveryLook();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/account/keys');
    await visitor.context.close();
  });

  test('a sign-in does not lead to another server, and not back to itself', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await visit(browser, { url });
    const { page } = visitor;
    await visitor.open('/sign-in?return_to=/.//elsewhere.example');
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(page.url(), `${url}/`);
    await visitor.open('/sign-in?return_to=/sign-in');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await visitor.leave();
  });

  test('a link by mail is asked for with the address alone, whether it is known or not', async () => {
    const visitor = await visit(browser, { url });
    const { page } = visitor;
    await visitor.open('/sign-in?return_to=/account');
    await page.getByRole('link', { name: 'New here, or no password?' }).click();
    await page.getByRole('heading', { name: 'Get a link by email' }).waitFor();
    await page.getByLabel('Email').fill('ada@new.example');
    await visitor.isClean();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('ada@new.example').waitFor();
    const [mail] = await db.many(sql`
      select kind from mail where recipient = 'ada@new.example'`);
    assert.deepEqual(mail, { kind: 'sign_in_link' });
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('return_to'), '/account');
    await visitor.leave();
  });

  test('a link to sign up takes a name and a good password, once', async () => {
    const visitor = await visit(browser, { url, width: 360, scheme: 'dark' });
    const { page, context } = visitor;
    const path = await linkTo('sign_up', { email: 'grace@new.example' });
    const other = await context.newPage();
    await other.goto(path);
    await visitor.open(path);
    await page.getByText('grace@new.example').waitFor();
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('New password').fill('password1');
    await page.keyboard.press('Enter');
    await page.getByText('This password is easy to guess').waitFor();
    visitor.expectErrors(/422/);
    await visitor.isClean();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(page.url(), `${url}/`);
    await visitor.open(path);
    await page.getByRole('heading', { name: 'This link does not open' }).waitFor();
    await page.getByText('This link has expired, or was used or replaced').waitFor();
    visitor.expectErrors(/404/);
    await visitor.isClean();
    // So it is where it was opened before it was used.
    await other.getByLabel('Your name').fill('Grace Hopper');
    await other.getByLabel('New password').fill(PASSWORD);
    await other.keyboard.press('Enter');
    await other.getByRole('link', { name: 'Get another link' }).waitFor();
    await other.getByText('This link has expired, or was used or replaced').waitFor();
    await visitor.leave();
  });

  test('a link to reset sets a password; one of the operator takes a press of a button', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url });
    const { page } = visitor;
    await visitor.open(await linkTo('reset', user));
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await page.getByLabel('New password').fill(PASSWORD);
    await visitor.isClean();
    // What the page still waits for when the session ends is given up: no error of it is seen.
    await page.route('**/api/**', async (route) => {
      await pause(1_000);
      await route.continue().catch(() => {});
    });
    await page.route('**/auth/sign-out', async (route) => {
      const response = await route.fetch();
      await pause(2_000);
      await route.fulfill({ response });
    });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.open(await linkTo('sign_in', user));
    await page.getByText(user.email).waitFor();
    await visitor.isClean();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await visitor.leave();
  });

  test('a sign-out that fails says so, and the page goes on to work', async () => {
    const user = await fixtures.user();
    await fixtures.task(await fixtures.project({ userId: user.id }), user);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/help');
    await page.route('**/auth/sign-out', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('You are still signed in').waitFor();
    visitor.expectErrors(/ERR_FAILED/);
    await visitor.isCleanInEveryLook();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('region', { name: 'Ready', exact: true }).waitFor();
    await page.unroute('**/auth/sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visitor.leave();
  });

  test('a sign-out after the session has ended elsewhere leaves nothing that was typed', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    // What the frame of the page reads would tell of the end: it gets no answer.
    await page.route('**/api/**', () => {});
    await visitor.open('/help');
    await page.evaluate("localStorage.setItem('guildhall-draft a', 'typed')");
    await harness.db.many(sql`update session set ended_at = now() where user_id = ${user.id}`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The page begins anew meanwhile.
    const draft = () => page.evaluate("localStorage.getItem('guildhall-draft a')").catch(() => '');
    await until('the draft is gone', async () => (await draft()) === null);
    visitor.expectErrors(/401/);
    await visitor.leave();
  });

  test('why a provider did not sign someone in is said in words', async () => {
    const visitor = await visit(browser, { url });
    await visitor.open('/sign-in?error=account_exists');
    await visitor.page.getByRole('alert').getByText('There is an account with your').waitFor();
    await visitor.open('/sign-in?error=constructor');
    await visitor.page.getByRole('alert').getByText('That did not work. Start again.').waitFor();
    await visitor.isClean();
    await visitor.leave();
  });

  test('someone who came by a link of the operator sets a password there, and comes back with it', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, width: 360, scheme: 'dark' });
    const { page } = visitor;
    await visitor.open(await linkTo('sign_in', user));
    await page.getByLabel('Your first password (optional)').fill(PASSWORD);
    await visitor.isClean();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(await page.getByText('Only a link signs you in').count(), 0);
    // Home may still ask for something, which would be refused without the session.
    await page.goto('about:blank');
    await visitor.context.clearCookies();
    await visitor.open('/sign-in');
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await visitor.leave();
  });

  test('without a password, the account offers one until it is set; a proof that is too old says how to give another', async () => {
    const user = await fixtures.user();
    // A session without a proof of the last ten minutes.
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/');
    await page.getByText('Only a link signs you in.').waitFor();
    await page.getByRole('link', { name: 'Set a password' }).click();
    await page.getByText('You have none yet').waitFor();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByText('You have no password yet').waitFor();
    assert.equal(await dialog.getByLabel('Password').count(), 0);
    await dialog.getByRole('button', { name: 'Send me a link' }).click();
    await dialog.getByRole('status').getByText(user.email).waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    const mails = await db.many(sql`select from mail where recipient = ${user.email}`);
    assert.equal(mails.length, 1);
    await visitor.open(await linkTo('reset', user));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(await page.getByText('Only a link signs you in.').count(), 0);
    await visitor.leave();
  });

  test('a link says what is needed besides it, also of a second factor that is not known here', async () => {
    const user = await fixtures.user({ twoFactor: true });
    const visitor = await visit(browser, { url, width: 360, scheme: 'dark' });
    const { page } = visitor;
    await visitor.open(await linkTo('reset', user));
    await page.getByText('Neither does this link: ask the operator').waitFor();
    await visitor.isClean();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await page.getByText('Ask the operator of the server for a sign-in link').waitFor();

    const other = await fixtures.user({ twoFactor: true });
    await visitor.open(await linkTo('sign_in', other));
    await page.getByText('This link does: set up an authenticator app').waitFor();
    await page.getByLabel('Your first password (optional)').waitFor();
    assert.equal(await page.getByText('you come back without a link').count(), 0);
    await visitor.isClean();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await visitor.leave();
  });

  test('where a second factor is demanded that is not known here, only a link of the operator is named as a proof', async () => {
    for (const has of ['a password', 'nothing']) {
      const user = await fixtures.user({ twoFactor: true });
      if (has === 'a password') await givePassword(harness, user);
      const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
      const { page } = visitor;
      await visitor.open('/account/security');
      await page.getByRole('button', { name: 'Set up an app' }).click();
      const proof = page.getByRole('dialog', { name: 'Is it you?' });
      await proof.getByText('a second factor that this server does not know').waitFor();
      await proof.getByText(`guildhall users link ${user.email}`).waitFor();
      assert.equal(await proof.getByLabel('Password').count(), 0, has);
      assert.equal(await proof.getByRole('button', { name: 'Send me a link' }).count(), 0, has);
      visitor.expectErrors(/403/);
      await visitor.isClean();
      await page.keyboard.press('Escape');
      await page.getByRole('alert').getByText('Sign in by a fresh link of the operator').waitFor();
      // What it says is so.
      await visitor.open(await linkTo('sign_in', user));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
      await visitor.open('/account/security');
      await page.getByRole('button', { name: 'Set up an app' }).click();
      await page.getByRole('button', { name: 'Copy the secret' }).waitFor();
      await visitor.leave();
    }
  });

  test('where this browser has no passkeys, a recovery code is named as a proof, or else the address of the passkey', async () => {
    const user = await fixtures.user({ twoFactor: true });
    await givePassword(harness, user);
    await db.many(sql`
      insert into passkey (user_id, credential_id, public_key, counter, transports, backed_up, name)
      values (${user.id}, ${Buffer.from(user.id)}, ${Buffer.from(user.id)}, 0, '{}', false, 'Laptop')`);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    // As over plain HTTP to a name of a local network.
    await visitor.context.addInitScript('delete window.PublicKeyCredential');
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    const alert = page.getByRole('alert');
    const ask = async () => {
      await visitor.open('/account/security');
      await page.getByRole('button', { name: 'Set up an app' }).click();
      await proof.waitFor();
      visitor.expectErrors(/403/);
    };
    await ask();
    await proof.getByText('Your passkey does not work at this address').waitFor();
    assert.equal(await proof.getByLabel('Password').count(), 0);
    await visitor.isClean();
    await page.keyboard.press('Escape');
    await alert.getByText('at the address where you made your passkey').waitFor();

    await db.many(sql`
      insert into recovery_code (user_id, code_hash)
      values (${user.id}, ${Buffer.alloc(32, 1)})`);
    await ask();
    await proof.getByText('One of your recovery codes.').waitFor();
    assert.equal(await proof.getByText('authenticator app').count(), 0);
    await proof.getByRole('button', { name: 'Cancel' }).click();
    await alert.getByText('by your password and a code, and then').waitFor();
    await visitor.leave();
  });
} else test('the sign-in in a browser', { skip: noBrowser }, () => {});
