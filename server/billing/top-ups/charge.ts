import Type from 'typebox';
import type { Tx } from '../../db/database/database.ts';
import type { Caller } from '../../http/caller.ts';
import type { Examples } from '../../http/examples.ts';
import { text, usdAmount, uuid } from '../../http/input/fields.ts';
import type { Answer } from '../../http/route.ts';
import { usdNumber } from '../ledger/money.ts';
import { chargeError, chargeErrors } from './charge-errors.ts';
import type { TopUp, TopUpLimits } from './top-up.ts';
import type { TopUpState, TopUps } from './top-ups.ts';

/** The contract of every operation that charges a saved card (spec 4, ruling 6). */
export const chargeContract = (limits: TopUpLimits) => ({
  body: Type.Object(
    {
      amount: usdAmount({ ...limits }),
      payment_method_id: text({ minLength: 1, maxLength: 255 }),
    },
    { additionalProperties: false },
  ),
  sample: ({ payment_method_id }: Examples) => ({ body: { amount: 25, payment_method_id } }),
  responses: {
    200: {
      description:
        'The card was charged and the balance credited. `new_balance` is the balance right ' +
        'after this credit.',
      schema: outcome('succeeded'),
      example: {
        amount_charged: 25,
        new_balance: 50,
        status: 'succeeded',
        top_up_id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
      },
    },
    202: {
      description:
        'The outcome is not known yet. Nothing counts as charged; the balance follows when it ' +
        'is known.',
      schema: outcome('processing'),
      example: {
        amount_charged: 0,
        new_balance: 25,
        status: 'processing',
        top_up_id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
      },
    },
  },
  errors: chargeErrors,
});

/** The part of a request that charging needs. `account_id` gets the money. */
export interface ChargeRequest {
  body: { amount: bigint; payment_method_id: string };
  headers: Record<string, string | undefined>;
  requestId: string;
  load(): Promise<Caller & { account_id: string }>;
  begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** Stores the top-up that a request asks for. `attended`: its cardholder can confirm it. */
export async function startCharge(
  topUps: TopUps,
  { body, headers, requestId, load, begin }: ChargeRequest,
  { attended }: { attended: boolean },
): Promise<{ topUp: TopUp; joined: boolean }> {
  const { userId, keyId, sessionId, account_id: accountId } = await load();
  return begin((tx) =>
    topUps.start(tx, {
      accountId,
      userId,
      keyId,
      sessionId,
      requestId,
      attended,
      paymentMethodId: body.payment_method_id,
      amount: body.amount,
      clientKey: headers['idempotency-key'],
    }),
  );
}

/**
 * Makes a charge and answers from the stored top-up, because another request or a webhook may have
 * been faster than this one.
 */
export async function charge(topUps: TopUps, request: ChargeRequest): Promise<Answer> {
  const { topUp, joined } = await startCharge(topUps, request, { attended: false });
  return answer(joined ? await topUps.waitFor(topUp.id) : await topUps.advance(topUp.id));
}

function outcome(status: 'succeeded' | 'processing') {
  return Type.Object({
    amount_charged: Type.Number({ description: 'USD' }),
    new_balance: Type.Number({ description: 'USD' }),
    status: Type.Enum([status]),
    top_up_id: uuid(),
  });
}

function answer(state: TopUpState): Answer {
  const { topUp } = state;
  if (state.kind === 'failed') throw chargeError(state);
  const settled = state.kind === 'settled';
  return {
    status: settled ? 200 : 202,
    body: {
      amount_charged: settled ? usdNumber(topUp.amount) : 0,
      new_balance: usdNumber(state.balance),
      status: settled ? 'succeeded' : 'processing',
      top_up_id: topUp.id,
    },
  };
}
