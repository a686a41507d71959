import Type from 'typebox';
import { ownTopUp } from '../access/card.ts';
import { fieldError, forbidden, notFound } from '../http/errors.ts';
import { oneOf } from '../http/input/fields.ts';
import { ids, route } from '../http/route.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { answerOf, attendedAnswer, brief } from './top-ups/attended.ts';
import { attendedErrors } from './top-ups/charge-errors.ts';
import type { TopUps } from './top-ups/top-ups.ts';

const onlySandbox = fieldError(
  'test_authentication_not_allowed',
  ['body', 'test_authentication'],
  'Only the sandbox takes it: confirm the payment with the script of Stripe, and leave it out',
);

/**
 * Asks the processor what became of a charge that its cardholder had to confirm. What the browser
 * says of it counts for nothing.
 */
export const completeTopUp = ({
  topUps,
  cardSetups: { publishableKey },
}: {
  topUps: TopUps;
  cardSetups: Pick<CardSetups, 'publishableKey'>;
}) =>
  route({
    method: 'POST',
    path: '/api/billing/top-ups/{top_up_id}/complete',
    area: 'Billing',
    operationId: 'complete_top_up',
    summary: 'Complete a top-up',
    description:
      'Asks the card processor for the outcome of a charge that the caller has begun, for their ' +
      "own balance or a workspace's, and credits it if it succeeded, once, however often it is " +
      'called. A caller who may not see the billing of the workspace any more does not learn its ' +
      'balance, and what they have not confirmed is cancelled. On the sandbox, ' +
      '`test_authentication` is what the cardholder does.',
    access: ownTopUp,
    params: ids('top_up_id'),
    body: Type.Object(
      { test_authentication: Type.Optional(oneOf(['succeed', 'fail'])) },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { test_authentication: 'succeed' } }),
    brief,
    responses: { 200: attendedAnswer('The charge as it is now.') },
    errors: [notFound, forbidden, onlySandbox, ...attendedErrors],
    handle: async ({ params: { top_up_id: id }, body: { test_authentication: does }, load }) => {
      await load();
      if (does !== undefined) {
        if (topUps.authenticate === undefined) throw onlySandbox(does);
        await topUps.authenticate(id, does === 'succeed');
      }
      return answerOf(200, await topUps.advance(id), publishableKey);
    },
  });
