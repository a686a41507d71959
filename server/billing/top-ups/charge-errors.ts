import { type ApiErrorKind, apiError, type FieldErrorKind, forbidden } from '../../http/errors.ts';
import { AUTHENTICATION_FAILED } from '../cards/processor.ts';
import { balanceLimit } from '../ledger/balance-limit.ts';
import { CANCELED_BY_PERSON, TEST_MONEY_ENDED, type TopUp, topUpErrors } from './top-up.ts';

export const testMoneyEnded = apiError(
  409,
  'test_money_ended',
  'Test cards are not taken any more, and nothing was credited: reload the page, or ask the ' +
    'operator to restart this server with the settings of the others',
);

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
const cardErrors = Object.fromEntries(
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
  'The bank requires the cardholder to confirm this payment: add funds with this card in the ' +
    'dashboard',
);
const authenticationFailed = apiError(
  402,
  'authentication_failed',
  'The payment was not confirmed, and nothing was charged: try again or use another card',
);
const chargeCanceled = apiError(
  402,
  'charge_canceled',
  'The charge was cancelled before it was confirmed, and nothing was charged: add the funds again ' +
    'with a new Idempotency-Key',
);
const chargeGivenUp = apiError(
  402,
  'charge_given_up',
  'The charge was cancelled before its outcome was known. Nothing was charged: ' +
    'add the funds again with a new Idempotency-Key',
);
const processorUnavailable = apiError(
  503,
  'processor_unavailable',
  'The card processor is unavailable. Nothing was charged: try again later',
  { 'retry-after': '10' },
);

/** Every error of an operation that charges a card. */
export const chargeErrors: (ApiErrorKind | FieldErrorKind)[] = [
  cardDeclined,
  ...Object.values(cardErrors),
  authenticationRequired,
  chargeGivenUp,
  testMoneyEnded,
  ...Object.values(topUpErrors),
  balanceLimit,
  processorUnavailable,
];

/** Every error of an operation that charges a card while its cardholder is there. */
export const attendedErrors = [...chargeErrors, authenticationFailed, chargeCanceled];

// Codes that could help a thief are not passed on: lost, stolen and fraudulent cards look like any
// other decline.
export const CONFIDENTIAL = [
  'lost_card',
  'stolen_card',
  'fraudulent',
  'pickup_card',
  'restricted_card',
  'merchant_blacklist',
];

/** The error of a failed top-up. `seesBilling`: whether its person could make the charge again. */
export function chargeError({ topUp, seesBilling }: { topUp: TopUp; seesBilling: boolean }): Error {
  const { id: top_up_id, failure_code: code, decline_code: declineCode } = topUp;
  if (code === 'payment_method_detached')
    return topUpErrors.paymentMethodDetached(topUp.payment_method_id);
  if (code === 'not_executed')
    return seesBilling ? processorUnavailable({ top_up_id }) : forbidden();
  // The card was not declined: the intent was cancelled before its outcome was known (money.md).
  if (code === 'canceled') return chargeGivenUp({ top_up_id });
  if (code === TEST_MONEY_ENDED) return testMoneyEnded({ top_up_id });
  if (code === CANCELED_BY_PERSON) return chargeCanceled({ top_up_id });
  if (code === 'authentication_required')
    return authenticationRequired({ decline_code: code, top_up_id });
  if (code === AUTHENTICATION_FAILED)
    return authenticationFailed({ decline_code: 'authentication_failed', top_up_id });
  const shown =
    declineCode !== null && CONFIDENTIAL.includes(declineCode) ? 'generic_decline' : declineCode;
  const error = cardErrors[code ?? ''] ?? cardDeclined;
  return error({ decline_code: shown ?? error.code, top_up_id });
}
