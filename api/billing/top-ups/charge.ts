import Type from 'typebox';
import type { Tx } from '../../db/database/database.ts';
import { apiError } from '../../http/errors.ts';
import type { Examples } from '../../http/examples.ts';
import { text, usdAmount, uuid } from '../../http/input/fields.ts';
import type { Answer, Caller } from '../../http/route.ts';
import { usdNumber } from '../ledger/money.ts';
import { type Standing, type TopUps, topUpRefusals } from './top-ups.ts';

const CARD_CODES = [
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'processing_error',
  'invalid_account',
] as const;

const cardDeclined = apiError(
  402,
  'card_declined',
  'The card was declined: use another card or contact its bank',
);
const cardRefused = Object.fromEntries(
  CARD_CODES.map((code) => [
    code,
    apiError(
      402,
      code,
      `The card was declined (${code.replaceAll('_', ' ')}): check its details or use another card`,
    ),
  ]),
);
const authenticationRequired = apiError(
  402,
  'authentication_required',
  'The bank requires the cardholder to confirm this payment: add funds with this card in the dashboard',
);
const chargeGivenUp = apiError(
  402,
  'charge_given_up',
  'The charge was cancelled because its outcome remained unknown. Nothing was charged: add the funds again with a ' +
    'new Idempotency-Key',
);
const processorUnavailable = apiError(
  503,
  'processor_unavailable',
  'The card processor is unavailable. Nothing was charged: try again later',
  { 'retry-after': '10' },
);

/** USD an add-funds request may ask for. */
export interface TopUpLimits {
  minimum: number;
  maximum: number;
}

/** What every operation that charges a saved card takes and answers (spec 4, ruling 6, money.md). */
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
        'The card was charged and the balance credited. `new_balance` is the balance right after this credit.',
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
        'The outcome is not known yet. Nothing counts as charged; the balance follows when it is known.',
      schema: outcome('processing'),
      example: {
        amount_charged: 0,
        new_balance: 25,
        status: 'processing',
        top_up_id: '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e',
      },
    },
  },
  errors: [
    cardDeclined,
    ...Object.values(cardRefused),
    authenticationRequired,
    chargeGivenUp,
    ...Object.values(topUpRefusals),
    processorUnavailable,
  ],
});

/** The part of a request that charging needs; `account_id` is whose balance gets the money. */
interface ChargeRequest {
  body: { amount: bigint; payment_method_id: string };
  headers: Record<string, string | undefined>;
  requestId: string;
  load(): Promise<Caller & { account_id: string }>;
  begin<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** Takes a charge along the whole path and answers from its row, not from what this request happened to see. */
export async function charge(
  topUps: TopUps,
  { body, headers, requestId, load, begin }: ChargeRequest,
): Promise<Answer> {
  const { userId, keyId, account_id } = await load();
  const { topUp, joined } = await begin((tx) =>
    topUps.start(tx, {
      accountId: account_id,
      userId,
      keyId,
      requestId,
      paymentMethodId: body.payment_method_id,
      amount: body.amount,
      clientKey: headers['idempotency-key'],
    }),
  );
  return answer(joined ? await topUps.follow(topUp.id) : await topUps.drive(topUp.id));
}

function outcome(status: 'succeeded' | 'processing') {
  return Type.Object({
    amount_charged: Type.Number({ description: 'USD' }),
    new_balance: Type.Number({ description: 'USD' }),
    status: Type.Enum([status]),
    top_up_id: uuid(),
  });
}

function answer(standing: Standing): Answer {
  const { topUp } = standing;
  if (standing.kind === 'failed')
    throw refused(topUp.id, topUp.failure_code, topUp.decline_code, topUp.payment_method_id);
  const settled = standing.kind === 'settled';
  return {
    status: settled ? 200 : 202,
    body: {
      amount_charged: settled ? usdNumber(topUp.amount) : 0,
      new_balance: usdNumber(standing.balance),
      status: settled ? 'succeeded' : 'processing',
      top_up_id: topUp.id,
    },
  };
}

// What a thief could learn from stays with the bank: lost, stolen and fraudulent cards look like any other decline.
const CONFIDENTIAL = [
  'lost_card',
  'stolen_card',
  'fraudulent',
  'pickup_card',
  'restricted_card',
  'merchant_blacklist',
];

function refused(
  topUpId: string,
  code: string | null,
  declineCode: string | null,
  paymentMethodId: string,
): Error {
  if (code === 'payment_method_detached')
    return topUpRefusals.paymentMethodDetached(paymentMethodId);
  if (code === 'not_executed') return processorUnavailable({ top_up_id: topUpId });
  // Nobody refused it: the intent was cancelled before anybody knew (money.md).
  if (code === 'canceled') return chargeGivenUp({ top_up_id: topUpId });
  if (code === 'authentication_required')
    return authenticationRequired({ decline_code: code, top_up_id: topUpId });
  const shown =
    declineCode !== null && CONFIDENTIAL.includes(declineCode) ? 'generic_decline' : declineCode;
  const error = cardRefused[code ?? ''] ?? cardDeclined;
  return error({ decline_code: shown ?? error.code, top_up_id: topUpId });
}
