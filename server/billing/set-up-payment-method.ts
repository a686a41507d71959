import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { oneOf } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import {
  begunSetup,
  cardsNotConfigured,
  cardsUnavailable,
  example,
  testCardMissing,
  testCardOnStripe,
  tooManyCards,
} from './card-setup.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { TEST_CARDS } from './cards/test-cards.ts';

/**
 * Begins to save a card of the caller. With Stripe, the browser enters it in Stripe's own form, so
 * that no number of a card reaches this server.
 */
export const setUpPaymentMethod = ({ cardSetups: setups }: { cardSetups: CardSetups }) =>
  route({
    method: 'POST',
    path: '/api/billing/payment-methods/setup',
    area: 'Billing',
    operationId: 'set_up_payment_method',
    summary: 'Begin to save a card',
    description:
      'Begins to save a card. With Stripe, complete it in the browser: load the script of Stripe ' +
      'with `publishable_key`, confirm the SetupIntent of `client_secret`, and then call ' +
      '`complete_card_setup`. The card is saved even if that call is never made. On the sandbox, ' +
      'send `test_card`: it is saved at once. A replay by its Idempotency-Key has no `client_secret` ' +
      'after ten minutes: begin anew.',
    access: ownAccount,
    limit: 'addFunds',
    brief: ['client_secret'],
    body: Type.Object(
      {
        test_card: Type.Optional(
          oneOf(TEST_CARDS as [string, ...string[]], {
            description: "One of Stripe's published test cards; only on the sandbox.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { test_card: 'pm_card_visa' } }),
    responses: {
      201: {
        description: 'It has begun; on the sandbox the card is saved.',
        schema: begunSetup,
        example,
      },
    },
    errors: [tooManyCards, cardsNotConfigured, cardsUnavailable, testCardMissing, testCardOnStripe],
    handle: async ({ body: { test_card }, requestId, load, begin }) => {
      const { account_id, userId, keyId, sessionId } = await load();
      const onSandbox = setups.processor === 'sandbox';
      if (onSandbox && test_card === undefined) throw testCardMissing();
      if (!onSandbox && test_card !== undefined) throw testCardOnStripe(test_card);
      if (!onSandbox && setups.publishableKey === undefined) throw cardsNotConfigured();
      const { setupId, begun } = await setups.begin(account_id, test_card);
      if (begun.kind !== 'begun') throw cardsUnavailable();
      const by = { caller: { userId, keyId, sessionId }, requestId };
      const setup = await begin((tx) => setups.record(tx, { setupId, id: begun.id }, by));
      if (setup === undefined) throw tooManyCards();
      if (onSandbox) return { status: 201, body: await setups.settle(setupId) };
      const { clientSecret: client_secret } = begun;
      const { publishableKey: publishable_key } = setups;
      return { status: 201, body: { ...setup, client_secret, publishable_key } };
    },
  });
