import Type from 'typebox';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { usd } from '../../http/resource.ts';
import type { Answer } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';
import { type ChargeRequest, chargeContract, startCharge } from './charge.ts';
import { attendedErrors, chargeError } from './charge-errors.ts';
import type { TopUpLimits } from './top-up.ts';
import type { TopUpState, TopUps } from './top-ups.ts';

const shown = {
  id: uuid(),
  amount: usd(),
  status: oneOf(['requires_action', 'processing', 'succeeded', 'canceled'], {
    description:
      '`requires_action`: the cardholder has to confirm it. `processing`: the outcome is not ' +
      'known yet. `canceled`: nothing was charged; only `cancel_top_up` answers so.',
  }),
  new_balance: Type.Optional(
    usd({
      description:
        'USD, right after this credit. Left out for a caller who may not see the billing of the ' +
        'balance any more.',
    }),
  ),
  confirm_until: Type.Optional(
    timestamp({ description: 'The charge is cancelled if it is not confirmed by then.' }),
  ),
  client_secret: Type.Optional(
    Type.String({ description: "For Stripe's script, with which the cardholder confirms it." }),
  ),
  publishable_key: Type.Optional(Type.String({ description: "For Stripe's script." })),
};

/** A charge whose cardholder is there. */
const attendedTopUp = Type.Object(shown, { $id: 'AttendedTopUp' });

const example = {
  id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
  amount: '25.00',
  status: 'succeeded',
  new_balance: '50.00',
};

/** The answer of every operation on such a charge. */
export const attendedAnswer = (description: string) => ({
  description,
  schema: attendedTopUp,
  example,
});

/** For the routes that answer it: see `brief` there. */
export const brief = ['client_secret'];

/** What both operations that begin one take and answer. */
export const attendedContract = (limits: TopUpLimits) => {
  const { body, sample } = chargeContract(limits);
  return {
    body,
    sample,
    brief,
    responses: { 201: attendedAnswer('The charge has begun, and may have succeeded already.') },
    errors: attendedErrors,
  };
};

/** The descriptions of both. */
export const HOW =
  'Like adding funds, for a person in front of a browser: if the bank asks for the cardholder, the ' +
  'answer is `requires_action`. With Stripe, let its script handle the next action of ' +
  '`client_secret`, then call `complete_top_up`; the credit comes even if that call is never ' +
  'made. On the sandbox, `complete_top_up` takes `test_authentication`. A charge that is not ' +
  'confirmed within 30 minutes is cancelled. A replay by its Idempotency-Key has no ' +
  '`client_secret` after ten minutes: `complete_top_up` answers it.';

/** Begins a charge, and answers from the stored top-up. */
export async function beginAttended(
  topUps: TopUps,
  publishableKey: string | undefined,
  request: ChargeRequest,
): Promise<Answer> {
  const { topUp } = await startCharge(topUps, request, { attended: true });
  return answerOf(201, await topUps.advance(topUp.id), publishableKey);
}

/** Throws the error of a charge that failed. */
export function answerOf(
  status: 200 | 201,
  state: TopUpState,
  publishableKey: string | undefined,
): Answer {
  if (state.kind === 'failed') throw chargeError(state);
  const { id, amount, attended_until } = state.topUp;
  const action = state.kind === 'open' ? state.action : undefined;
  const secret = action?.clientSecret;
  return {
    status,
    body: {
      id,
      amount: usdText(amount),
      ...(state.kind === 'settled'
        ? {
            status: 'succeeded',
            ...(state.seesBilling && { new_balance: usdText(state.balance) }),
          }
        : { status: action === undefined ? 'processing' : 'requires_action' }),
      ...(action && attended_until && { confirm_until: attended_until.toISOString() }),
      ...(secret !== undefined && { client_secret: secret, publishable_key: publishableKey }),
    },
  };
}
