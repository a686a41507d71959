import Type from 'typebox';
import { apiError, fieldError } from '../http/errors.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { timestamp } from '../http/timestamps.ts';
import { CARDS_PER_PERSON } from './cards/keep-card.ts';

const shown = {
  id: uuid(),
  status: oneOf(['open', 'succeeded', 'failed'], {
    description: '`open` until the processor has the card.',
  }),
  payment_method_id: Type.Optional(
    Type.String({ description: 'The saved card, once it has succeeded.' }),
  ),
  failure_code: Type.Optional(
    oneOf(['canceled', 'card_removed', 'card_of_another_person', 'too_many_cards'], {
      description: '`canceled`: it was not completed within 24 hours.',
    }),
  ),
  created_at: timestamp(),
};

/** An attempt to save a card. */
export const cardSetup = Type.Object(shown, { $id: 'CardSetup' });

/** The same, with what a browser needs to complete it. */
export const begunSetup = Type.Object(
  {
    ...shown,
    client_secret: Type.Optional(
      Type.String({ description: "For Stripe's script, which completes the attempt with it." }),
    ),
    publishable_key: Type.Optional(Type.String({ description: "For Stripe's script." })),
  },
  { $id: 'BegunCardSetup' },
);

export const example = {
  id: '4c5d6e7f-8091-4a2b-9c3d-4e5f60718293',
  status: 'succeeded',
  payment_method_id: 'pm_6xY1mQ0wVtB2nK8sLr4dPzaF',
  created_at: '2026-11-21T08:15:30.123Z',
};

export const tooManyCards = apiError(
  409,
  'too_many_cards',
  `You have ${CARDS_PER_PERSON} saved cards, which is as many as there can be: remove one first`,
);
export const cardsNotConfigured = apiError(
  409,
  'cards_not_configured',
  'This server cannot save cards: ask its operator to set STRIPE_PUBLISHABLE_KEY (docs/money.md)',
);
export const cardsUnavailable = apiError(
  503,
  'processor_unavailable',
  'The card processor is unavailable. No card was saved: try again later',
  { 'retry-after': '10' },
);

const testCard = ['body', 'test_card'];
export const testCardMissing = fieldError('missing', testCard, 'Field required');
export const testCardOnStripe = fieldError(
  'test_card_not_allowed',
  testCard,
  'Only the sandbox takes a test card: leave it out, and enter the card in the form of Stripe',
);
