import type { CardDetails } from './card-keeper.ts';
import type { CardDecline } from './processor.ts';

const declined = (declineCode: string): CardDecline => ({ code: 'card_declined', declineCode });
const authenticate: CardDecline = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
};

/** Stripe's published test payment methods that are refused, and how. */
export const DECLINING_CARDS: ReadonlyMap<string, CardDecline> = new Map([
  ['pm_card_chargeDeclined', declined('generic_decline')],
  ['pm_card_visa_chargeDeclined', declined('generic_decline')],
  ['pm_card_chargeDeclinedInsufficientFunds', declined('insufficient_funds')],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', declined('insufficient_funds')],
  ['pm_card_chargeDeclinedLostCard', declined('lost_card')],
  ['pm_card_visa_chargeDeclinedLostCard', declined('lost_card')],
  ['pm_card_chargeDeclinedStolenCard', declined('stolen_card')],
  ['pm_card_visa_chargeDeclinedStolenCard', declined('stolen_card')],
  ['pm_card_chargeDeclinedFraudulent', declined('fraudulent')],
  ['pm_card_radarBlock', declined('fraudulent')],
  ['pm_card_chargeDeclinedVelocityLimitExceeded', declined('card_velocity_exceeded')],
  ['pm_card_visa_chargeDeclinedVelocityLimitExceeded', declined('card_velocity_exceeded')],
  ['pm_card_chargeCustomerFail', declined('generic_decline')],
  ['pm_card_chargeDeclinedExpiredCard', { code: 'expired_card' }],
  ['pm_card_chargeDeclinedIncorrectCvc', { code: 'incorrect_cvc' }],
  ['pm_card_chargeDeclinedProcessingError', { code: 'processing_error' }],
  ['pm_card_authenticationRequired', authenticate],
  ['pm_card_authenticationRequiredOnSetup', authenticate],
]);

const PAYING =
  /^pm_card_(visa|mastercard|amex|discover|diners|jcb|unionpay|cartesBancaires|us|createDispute\w*|bypassPending)(_debit|_prepaid|_credit)?$/;

/** How a published test payment method behaves; undefined if there is no such card. */
export function testCard(token: string): CardDecline | 'pays' | undefined {
  return DECLINING_CARDS.get(token) ?? (PAYING.test(token) ? 'pays' : undefined);
}

/** The last four digits of Stripe's published test cards; those not named here have Visa's. */
const LAST4: Record<string, string> = {
  visa_debit: '5556',
  mastercard: '4444',
  mastercard_debit: '8210',
  mastercard_prepaid: '5100',
  amex: '0005',
  discover: '1117',
  diners: '0004',
  jcb: '0505',
  unionpay: '0005',
  cartesBancaires: '1001',
  createDispute: '0259',
  bypassPending: '0077',
  chargeDeclined: '0002',
  chargeDeclinedInsufficientFunds: '9995',
  chargeDeclinedLostCard: '9987',
  chargeDeclinedStolenCard: '9979',
  chargeDeclinedFraudulent: '0019',
  chargeDeclinedVelocityLimitExceeded: '6975',
  chargeDeclinedExpiredCard: '0069',
  chargeDeclinedIncorrectCvc: '0127',
  chargeDeclinedProcessingError: '0119',
  chargeCustomerFail: '0341',
  radarBlock: '0019',
  authenticationRequired: '3184',
  authenticationRequiredOnSetup: '3155',
};

/** The test cards that a person may save. */
export const TEST_CARDS: string[] = [
  'pm_card_visa',
  ...Object.keys(LAST4).map((name) => `pm_card_${name}`),
];

/** What the sandbox says of a published test card; undefined if there is no such card. */
export function detailsOfTestCard(token: string): CardDetails | undefined {
  if (testCard(token) === undefined) return undefined;
  const name = token.replace(/^pm_card_(visa_(?=charge))?/, '');
  const last4 = LAST4[name] ?? '4242';
  const brand = /^(mastercard|amex|discover|diners|jcb|unionpay)/.exec(name)?.[0] ?? 'visa';
  const fingerprint = `sandbox_${brand}_${last4}`;
  return { token, brand, last4, expMonth: 12, expYear: 2040, fingerprint };
}
