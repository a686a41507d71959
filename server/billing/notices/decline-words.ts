import { CONFIDENTIAL } from '../top-ups/charge-errors.ts';

const OTHER_CARD = 'Choose another card for auto-reload, or add funds by hand.';

/** Why a charge failed, and what its owner can do, by the code of the card processor. */
const WORDS: Record<string, readonly [why: string, advice: string]> = {
  authentication_required: [
    'the bank requires the cardholder to confirm it',
    'Add funds with this card in the dashboard, where you can confirm the payment, or choose ' +
      'another card for auto-reload.',
  ],
  insufficient_funds: [
    'the card has insufficient funds',
    'Make sure that the card has funds, or choose another card for auto-reload.',
  ],
  withdrawal_count_limit_exceeded: [
    'the card is over its limit',
    'Ask its bank for a higher limit, or choose another card for auto-reload.',
  ],
  card_velocity_exceeded: [
    'the card is over its limit',
    'Ask its bank for a higher limit, or choose another card for auto-reload.',
  ],
  expired_card: ['the card has expired', OTHER_CARD],
  incorrect_cvc: ['the security code of the card is wrong', 'Save the card again, or use another.'],
  incorrect_number: ['the number of the card is wrong', 'Save the card again, or use another.'],
  invalid_account: ['the account of the card cannot be charged', OTHER_CARD],
  processing_error: [
    'there was an error while the bank processed it',
    'Nothing is wrong with the card as far as is known. If it happens again, use another card.',
  ],
  payment_method_detached: ['the card was removed', OTHER_CARD],
  canceled: [
    'it was cancelled before its outcome was known',
    'Nothing is wrong with the card as far as is known. If it happens again, use another card.',
  ],
};

const DECLINED = ['the card was declined', `Contact its bank. ${OTHER_CARD}`] as const;

// The code of the decline says more, if there is one. What could help a thief is not told apart.
function wordsOf(code: string | null, declineCode: string | null) {
  if (declineCode !== null && CONFIDENTIAL.includes(declineCode)) return DECLINED;
  return WORDS[declineCode ?? ''] ?? WORDS[code ?? ''] ?? DECLINED;
}

/** Why a charge failed, as the end of a sentence. */
export const whyOf = (code: string | null, declineCode: string | null): string =>
  wordsOf(code, declineCode)[0];

/** What to do about it, as sentences. */
export const adviceOf = (code: string | null, declineCode: string | null): string =>
  wordsOf(code, declineCode)[1];
