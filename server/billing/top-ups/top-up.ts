import { apiError, fieldError } from '../../http/errors.ts';
import type { Processor } from '../cards/processor.ts';

/** USD that one charge may be. */
export interface TopUpLimits {
  minimum: number;
  maximum: number;
}

/** A top-up as stored in its row. Amounts are micro-USD. */
export interface TopUp {
  id: string;
  account_id: string;
  user_id: string;
  key_id: string | null;
  request_id: string;
  payment_method_id: string;
  amount: bigint;
  status:
    | 'created'
    | 'processing'
    | 'succeeded'
    | 'failed'
    | 'partially_refunded'
    | 'refunded'
    | 'disputed';
  client_key: string | null;
  /** The processor that charges the card. No other one advances, ends or refunds this top-up. */
  processor: Processor['name'];
  processor_id: string | null;
  failure_code: string | null;
  decline_code: string | null;
  /** Until when its cardholder may confirm it in the browser; null where no one is there. */
  attended_until?: Date | null;
}

/** The `failure_code` of a charge that its cardholder cancelled before they confirmed it. */
export const CANCELED_BY_PERSON = 'canceled_by_person';

/** The `failure_code` of a top-up by test money that was open when test money ended. */
export const TEST_MONEY_ENDED = 'test_money_ended';

/** The error code of refuse_test_money() in the schema. */
export const TEST_MONEY_IS_REFUSED = 'GH003';

/** Whether the outcome is still unknown. */
export const isOpen = ({ status }: Pick<TopUp, 'status'>): boolean =>
  status === 'created' || status === 'processing';

/** The errors of a request to charge a card, before the processor is asked. */
export const topUpErrors = {
  paymentMethodNotFound: apiError(
    404,
    'payment_method_not_found',
    'No saved card has this payment_method_id',
  ),
  paymentMethodForbidden: apiError(
    403,
    'payment_method_forbidden',
    'This card belongs to another person: use one of your own',
  ),
  paymentMethodDetached: fieldError(
    'payment_method_detached',
    ['body', 'payment_method_id'],
    'This card was removed: save it again or use another card',
  ),
};
