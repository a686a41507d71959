import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../server/db/sql.ts';
import { forgetCodes } from '../../server/testing/fixtures/identity/authenticator-app.ts';
import { givePassword, PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { localAddress } from './local-address.ts';

/** Second factors and proofs in the browser: codes, recovery codes and passkeys. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const { url, forward } = await localAddress();
  const harness = await startHarness({ dashboard: DASHBOARD, env: { PUBLIC_URL: url } });
  forward(harness.url);
  const { db, fixtures } = harness;

  async function arrive(
    user: { id: string },
    {
      proven = true,
      ...look
    }: { proven?: boolean; scheme?: 'light' | 'dark'; width?: number } = {},
  ): Promise<Visitor> {
    return visit(browser, { url, cookie: await signIn(harness, user, { proven }), ...look });
  }

  /** Leaves, and signs in with the password as far as the second step. */
  async function returnWithPassword(
    { page }: Visitor,
    email: string,
    leaves = 'Sign out',
  ): Promise<void> {
    await page.getByRole('button', { name: leaves }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
  }

  test('an app is set up by keyboard; sign-ins ask for its code, or for a recovery code', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await arrive(user);
    const { page } = visitor;
    await visitor.open('/account/security');
    await page.getByRole('button', { name: 'Set up an app' }).focus();
    await page.keyboard.press('Enter');
    const secret = page.getByRole('button', { name: 'Copy the secret' });
    await secret.waitFor();
    const text = (await secret.locator('span').first().textContent()) ?? '';
    const totp = new TOTP({ secret: Secret.fromBase32(text) });
    const code = page.getByRole('img', { name: 'QR code that has the secret below' });
    // The path has one square for each dark module; a code of this length has some six hundred.
    assert.ok(
      (((await code.locator('path').getAttribute('d')) ?? '').match(/M/g) ?? []).length > 400,
    );
    await visitor.isClean();
    await page.getByLabel('Code that the app shows').fill('123');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    visitor.expectErrors(/403/);
    await page.getByLabel('Code that the app shows').fill(totp.generate());
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor();
    await visitor.isClean();
    const codes = await page.getByRole('dialog').getByRole('listitem').allTextContents();
    assert.equal(codes.length, 10);
    // They cannot be closed unread.
    assert.equal(await page.getByRole('button', { name: 'Done' }).isDisabled(), true);
    assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Close' }).count(), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await (await download).path();
    assert.ok(codes.every((code) => readFileSync(file, 'utf8').includes(code)));
    await page.getByLabel('I have kept them').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('You have 10 recovery codes left').waitFor();

    await returnWithPassword(visitor, user.email);
    await page.getByLabel('Code').fill('no-such-code');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await returnWithPassword(visitor, user.email, 'Start over');
    await forgetCodes(harness, user.id);
    await page.getByLabel('Code').fill(totp.generate());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();

    await returnWithPassword(visitor, user.email);
    await page.getByLabel('Code').fill(codes[0] as string);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await visitor.open('/account/security');
    await page.getByText('You have 9 recovery codes left').waitFor();
    await page.getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
    assert.deepEqual(await db.many(sql`select from totp where user_id = ${user.id}`), []);
    await visitor.leave();
  });

  test('a passkey is added, signs in, is a second factor and a proof, and is removed', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await arrive(user, { scheme: 'dark', width: 360 });
    const { page, context } = visitor;
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await visitor.open('/account/security');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.keyboard.type('Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor();
    await visitor.isCleanInEveryLook();

    await page.getByRole('button', { name: 'Menu' }).click();
    await returnWithPassword(visitor, user.email);
    await visitor.isClean();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();

    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();

    // A session whose proof is old.
    const [name = '', value = ''] = (await signIn(harness, user)).split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
    await visitor.open('/account/security');
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByRole('button', { name: 'Remove the passkey' }).click();
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByRole('button', { name: 'Use a passkey' }).waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await proof.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('None yet.').waitFor();
    assert.deepEqual(await db.many(sql`select from passkey where user_id = ${user.id}`), []);
    await visitor.leave();
  });

  test('a password is a proof, and the act goes on by itself; a wrong one is refused', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await arrive(user, { proven: false });
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.keyboard.type('After a proof');
    await page.keyboard.press('Enter');
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await proof.getByRole('alert').getByText('This is not your password').waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await proof.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy the key' }).waitFor();
    const made = await db.many(sql`select from api_key where name = 'After a proof'`);
    assert.equal(made.length, 1);
    await visitor.leave();
  });
} else test('second factors in a browser', { skip: noBrowser }, () => {});
