import { ownCardSetup } from '../access/card.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { cardSetup, example } from './card-setup.ts';
import type { CardSetups } from './cards/card-setups.ts';

/**
 * Asks the processor what became of an attempt to save a card, so that a page needs no event to
 * show the card. What the browser says of it counts for nothing.
 */
export const completeCardSetup = ({ cardSetups: setups }: { cardSetups: CardSetups }) =>
  route({
    method: 'POST',
    path: '/api/billing/payment-methods/setup/{setup_id}/complete',
    area: 'Billing',
    operationId: 'complete_card_setup',
    summary: 'Complete saving a card',
    description:
      'Asks the card processor for the outcome and saves the card if it has one, once, however ' +
      'often it is called. `open` means that the card has not been entered yet, or that the ' +
      'processor could not be asked; the server goes on asking by itself.',
    access: ownCardSetup,
    params: ids('setup_id'),
    responses: { 200: { description: 'The attempt as it is now.', schema: cardSetup, example } },
    errors: [notFound, forbidden],
    handle: async ({ params, requestId, load }) => {
      const { userId, keyId, sessionId } = await load();
      const by = { caller: { userId, keyId, sessionId }, requestId };
      return { status: 200, body: await setups.settle(params.setup_id, by) };
    },
  });
