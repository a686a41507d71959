import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStripeCards } from '../../server/testing/fixtures/billing/stripe-cards.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/**
 * Saving a card, and confirming a charge, in frames of Stripe, whose script a fake of these
 * tests takes the place of.
 */

const SCRIPT = `window.Stripe = (key) => ({
  elements: ({ clientSecret }) => ({
    clientSecret,
    create: () => ({
      mount: (at) => { at.textContent = 'The form of Stripe for ' + key; },
      destroy: () => {},
    }),
  }),
  confirmSetup: async ({ elements }) => ({
    error: await window.confirmAtStripe(elements.clientSecret),
  }),
  handleNextAction: async ({ clientSecret }) => ({
    error: await window.confirmAtStripe(clientSecret),
  }),
});`;

if (noBrowser === false) {
  const browser = await openBrowser();
  const stripe = await startStripeCards({}, { dashboard: DASHBOARD });
  const { fixtures, url, fake, saver } = stripe;

  /** A person on the page; `confirm` is what Stripe does with the client secret. */
  async function entering(confirm: (secret: string) => { message: string } | undefined) {
    const user = await fixtures.user();
    const visiting = await visit(browser, { url, cookie: await signIn(stripe, user) });
    const { page } = visiting;
    await page.route('https://js.stripe.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: SCRIPT }),
    );
    await page.exposeFunction('confirmAtStripe', confirm);
    await visiting.open('/account/billing');
    await page.getByRole('link', { name: 'Save a card' }).click();
    await page.getByText('The form of Stripe for pk_test_fake').waitFor();
    visiting.expectErrors(/another server: https:\/\/js\.stripe\.com/);
    return { user, ...visiting };
  }

  test('a card is entered at Stripe alone, and saved; the next page has the strict policy again', async () => {
    const { page, user, isClean, leave } = await entering((secret) => {
      fake.completeSetup(secret, { exp_month: 4, exp_year: 2031 });
      return undefined;
    });
    await isClean();
    await page.getByRole('button', { name: 'Save the card' }).click();
    await page.getByRole('row', { name: 'Visa ending in 4242' }).waitFor();
    assert.match(page.url(), /\/account\/billing$/);
    const { list } = await saver(user);
    assert.deepEqual(
      (await list()).map(({ last4, removed }) => ({ last4, removed })),
      [{ last4: '4242', removed: false }],
    );
    const reply = await fetch(page.url(), { headers: { accept: 'text/html' } });
    assert.doesNotMatch(String(reply.headers.get('content-security-policy')), /stripe/);
    await leave();
  });

  test('a card that Stripe refuses is refused in its words, and nothing is saved', async () => {
    const { page, user, leave } = await entering(() => ({
      message: 'Your card was declined.',
    }));
    await page.getByRole('button', { name: 'Save the card' }).click();
    await page.getByRole('alert').getByText('Your card was declined.').waitFor();
    assert.deepEqual(await (await saver(user)).list(), []);
    await leave();
  });

  for (const passes of [true, false])
    test(`a charge that the bank asks about is ${passes ? 'confirmed' : 'refused'} at Stripe, in the workspace that gets it`, async () => {
      const { user, save } = await saver();
      await save({ card: 'pm_card_authenticationRequired' });
      const org = await fixtures.workspace(user);
      const visiting = await visit(browser, { url, cookie: await signIn(stripe, user) });
      const { page } = visiting;
      await page.route('https://js.stripe.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: SCRIPT }),
      );
      await page.exposeFunction('confirmAtStripe', (secret: string) => {
        fake.authenticate(secret, passes);
        return passes ? undefined : { message: 'Your bank has refused.' };
      });
      await visiting.open(`/workspaces/${org}/billing`);
      await page.getByLabel('Amount in USD').fill('15');
      await page.getByRole('button', { name: 'Add funds' }).click();
      if (passes) await page.getByText('$15.00 was charged. The balance is $15.00.').waitFor();
      else await page.getByRole('alert').getByText('The payment was not confirmed').waitFor();
      assert.match(page.url(), /\/account\/stripe\?charge=open$/);
      visiting.expectErrors(/another server: https:\/\/js\.stripe\.com/);
      if (!passes) visiting.expectErrors(/402/);
      await visiting.isClean();
      assert.equal(await fixtures.balance({ organizationId: org }), passes ? 15_000_000n : 0n);
      await page.reload();
      await page.getByText('There is no charge to confirm').waitFor();
      await visiting.leave();
    });

  test('without Stripe’s script the page says so, and offers to try again', async () => {
    const user = await fixtures.user();
    const visiting = await visit(browser, { url, cookie: await signIn(stripe, user) });
    await visiting.page.route('https://js.stripe.com/**', (route) => route.abort());
    await visiting.open('/account/stripe');
    await visiting.page.getByText('The script of Stripe could not be loaded').waitFor();
    await visiting.page.getByRole('button', { name: 'Try again' }).waitFor();
    visiting.expectErrors(/js\.stripe\.com|ERR_FAILED/);
    await visiting.isClean();
    await visiting.leave();
  });
} else test('the pages of Stripe in a browser', { skip: noBrowser }, () => {});
