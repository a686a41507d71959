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
