import { ownTopUp } from '../access/card.ts';
import { apiError, forbidden, notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { usdText } from './ledger/money.ts';
import { answerOf, attendedAnswer, brief } from './top-ups/attended.ts';
import { attendedErrors } from './top-ups/charge-errors.ts';
import { CANCELED_BY_PERSON } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';

const notCancelable = apiError(
  409,
  'top_up_not_cancelable',
  'Only a charge that waits for its cardholder can be cancelled: wait for the outcome of this one',
);

/**
 * Cancels a charge that waits for its cardholder. What the processor says then counts: a
 * confirmation that was faster is credited.
 */
export const cancelTopUp = ({
  topUps,
  cardSetups: { publishableKey },
}: {
  topUps: TopUps;
  cardSetups: Pick<CardSetups, 'publishableKey'>;
}) =>
  route({
    method: 'POST',
    path: '/api/billing/top-ups/{top_up_id}/cancel',
    area: 'Billing',
    operationId: 'cancel_top_up',
    summary: 'Cancel a top-up',
    description:
      "Cancels a charge that the caller has begun, for their own balance or a workspace's, and " +
      'that waits for the cardholder. If it was confirmed before that, it is credited, and the ' +
      'answer says `succeeded`; `processing`: the card processor could not be asked, so try again. ' +
      'A repeat changes nothing.',
    access: ownTopUp,
    params: ids('top_up_id'),
    brief,
    responses: { 200: attendedAnswer('The charge as it is now.') },
    errors: [notFound, forbidden, notCancelable, ...attendedErrors],
    handle: async ({ params: { top_up_id: id }, requestId, load }) => {
      const { keyId, sessionId } = await load();
      const state = await topUps.cancel(id, { keyId, sessionId, requestId });
      const { amount, attended_until, failure_code } = state.topUp;
      if (state.kind === 'open' && attended_until == null) throw notCancelable();
      if (state.kind === 'failed' && failure_code === CANCELED_BY_PERSON)
        return { status: 200, body: { id, amount: usdText(amount), status: 'canceled' } };
      return answerOf(200, state, publishableKey);
    },
  });
