import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { pkce } from '../../server/testing/clients/oauth.ts';
import { startProvider } from '../../server/testing/fixtures/identity/openid.ts';
import { givePassword, PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { localAddress } from './local-address.ts';

/** Accounts elsewhere, with a real provider, and what happened to one's own account. */

if (noBrowser === false) {
  const browser = await openBrowser();

  /** A server at this host, at which people may sign in with Acme. */
  async function serverAt(host: string) {
    const { url, forward } = await localAddress(host);
    const acme = await startProvider([`${url}/auth/providers/acme/callback`]);
    const harness = await startHarness({
      dashboard: DASHBOARD,
      env: {
        PUBLIC_URL: url,
        OIDC_PROVIDERS: JSON.stringify([
          {
            id: 'acme',
            name: 'Acme',
            issuer: acme.issuer,
            client_id: acme.clientId,
            client_secret: acme.clientSecret,
          },
        ]),
      },
    });
    forward(harness.url);
    return { url, acme, harness };
  }
  const { url, acme, harness } = await serverAt('localhost');
  const { db, fixtures } = harness;

  test('an account is linked over plain HTTP too, where browsers say less about a link', async () => {
    const nas = await serverAt('nas');
    const user = await nas.harness.fixtures.user();
    nas.acme.signIn({ sub: user.id, email: user.email, email_verified: true });
    const cookie = await signIn(nas.harness, user, { proven: true });
    const visitor = await visit(browser, { url: nas.url, cookie });
    await visitor.open('/account/connections');
    await visitor.page.getByRole('button', { name: 'Link Acme', exact: true }).click();
    await visitor.page.getByRole('button', { name: 'Unlink Acme' }).waitFor();
    visitor.expectErrors(/another server/);
    await visitor.leave();
  });

  test('an account elsewhere is linked after a proof, signs in, and is unlinked', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    acme.signIn({ sub: user.id, email: user.email, email_verified: true });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/connections');
    await page.getByRole('button', { name: 'Link Acme', exact: true }).focus();
    await visitor.isClean();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Is it you?' }).getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Unlink Acme' }).waitFor();
    visitor.expectErrors(/another server/);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    visitor.expectErrors(/another server/);

    await visitor.open('/account/connections');
    await page.getByRole('button', { name: 'Unlink Acme' }).click();
    await page.getByRole('button', { name: 'Unlink the account' }).click();
    await page.getByRole('button', { name: 'Link Acme', exact: true }).waitFor();
    assert.deepEqual(await db.many(sql`select from identity where user_id = ${user.id}`), []);
    await visitor.leave();
  });

  test('who signs in elsewhere alone proves who they are by a new sign-in, and comes back to the page', async () => {
    const user = await fixtures.user();
    await db.many(sql`
      insert into identity (user_id, provider, issuer, subject)
      values (${user.id}, 'acme', ${acme.issuer}, ${user.id})`);
    acme.signIn({ sub: user.id, email: user.email, email_verified: true });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Later');
    await page.keyboard.press('Enter');
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByText('with Acme').waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await proof.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    visitor.expectErrors(/another server/);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Later');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy the key' }).waitFor();
    await visitor.leave();
  });

  test('an application is let in once its person, whose session had ended, has signed in again', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const metadata = { client_name: 'An editor', redirect_uris: ['com.example.editor:/back'] };
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      body: JSON.stringify(metadata),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: metadata.redirect_uris[0] as string,
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    });
    const visitor = await visit(browser, {
      url,
      cookie: await signIn(harness, user, { proven: true }),
    });
    const { page } = visitor;
    // What the frame of the page reads would tell, too: it gets no answer.
    await page.route('**/api/**', () => {});
    await visitor.open(`/oauth/authorize?${asked}`);
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    await db.many(sql`update session set ended_at = now() where user_id = ${user.id}`);
    await allow.click();
    await page.getByLabel('Email').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await allow.click();
    await page.getByText('Go on in the application.').waitFor();
    await visitor.open('/connect?request=cut%20off');
    await page.getByText('This address is not whole: begin again in the application.').waitFor();
    assert.equal(await allow.count(), 0);
    visitor.expectErrors(/401|422/);
    await visitor.context.close();
  });

  test('no application is let in where its tokens would pass the network in the clear', async () => {
    const nas = await serverAt('nas');
    const user = await nas.harness.fixtures.user();
    const cookie = await signIn(nas.harness, user, { proven: true });
    const visitor = await visit(browser, { url: nas.url, cookie });
    await visitor.open('/oauth/authorize?response_type=code&client_id=any');
    await visitor.page.getByText('This server has no HTTPS at this address').waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: 'Allow' }).count(), 0);
    visitor.expectErrors(/409/);
    // Where people are told of applications, none is promised either.
    await visitor.open('/account/connections');
    const promised = visitor.page.getByText('asks you here when it connects');
    await visitor.page.getByText(`At ${nas.url}, none can be connected`).waitFor();
    assert.equal(await promised.count(), 0);
    await visitor.isCleanInEveryLook();
    await visitor.leave();
    const here = await visit(browser, {
      url,
      cookie: await signIn(harness, await fixtures.user(), { proven: true }),
    });
    await here.open('/account/connections');
    await here.page.getByText('asks you here when it connects').waitFor();
    assert.equal(await here.page.getByText('none can be connected').count(), 0);
    await here.leave();
  });

  test('activity has refused sign-ins too; why GitHub was not connected is said in words', async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const visitor = await visit(browser, { url, scheme: 'dark', width: 360 });
    const { page } = visitor;
    await visitor.open('/sign-in?return_to=/account/activity');
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    visitor.expectErrors(/401/);
    // A refusal is recorded after its answer.
    await until('the refusal', async () => {
      const refused = sql`
        select from audit_event where target_id = ${user.id} and outcome = 'refused'`;
      return (await db.many(refused)).length > 0;
    });
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Done' }).first().waitFor();
    await page.getByRole('cell', { name: 'Refused' }).waitFor();
    // In words, in a column that narrow screens leave out.
    const reason = page.getByTitle('wrong_credentials').filter({ hasText: 'a wrong address' });
    await reason.waitFor({ state: 'attached' });
    await visitor.isCleanInEveryLook();
    await visitor.open('/account?error=installation_requested');
    await page.getByRole('alert').getByText('An owner of the account on GitHub').waitFor();
    await visitor.leave();
  });
} else test('connections in a browser', { skip: noBrowser }, () => {});
