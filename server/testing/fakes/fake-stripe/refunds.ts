import { refunded, refundFailed } from './balance.ts';
import { invalid, missing, notNow } from './failure.ts';
import type { Params } from './form.ts';
import {
  type ChargeObject,
  emit,
  move,
  newId,
  type RefundObject,
  type State,
  seconds,
} from './state.ts';

/** POST /v1/refunds, of all that is left or of a part of it. */
export function createRefund(state: State, params: Params): RefundObject {
  const charge = chargeOf(state, params);
  const left = charge.amount - charge.amount_refunded;
  if (left === 0)
    throw notNow('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  if (isDisputed(state, charge))
    throw notNow('charge_disputed', `Charge ${charge.id} has been charged back.`);
  const amount = params.amount === undefined ? left : Number(params.amount);
  if (!Number.isSafeInteger(amount) || amount <= 0)
    throw invalid('Invalid positive integer', 'amount');
  if (amount > left)
    throw notNow('amount_too_large', 'Refund amount is greater than unrefunded amount on charge', {
      param: 'amount',
    });
  const refund: RefundObject = {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    status: 'succeeded',
    metadata: (params.metadata ?? {}) as Record<string, string>,
    created: seconds(state),
  };
  state.refunds.set(refund.id, refund);
  refund.balance_transaction = refunded(state, refund.id, amount).id;
  setRefunded(charge, charge.amount_refunded + amount);
  move(state, 'refund', charge.payment_intent, amount);
  emit(state, 'refund.created', refund);
  emit(state, 'charge.refunded', charge);
  return refund;
}

/** The bank sends a refund back, days later: the money is Guildhall's again. */
export function failRefund(state: State, id: string): RefundObject {
  const refund = state.refunds.get(id);
  const charge = state.charges.get(refund?.charge ?? '');
  if (refund === undefined || charge === undefined) throw missing('refund', id);
  if (refund.status === 'failed') return refund;
  Object.assign(refund, {
    status: 'failed',
    failure_reason: 'lost_or_stolen_card',
    failure_balance_transaction: refundFailed(state, id, refund.amount).id,
  });
  setRefunded(charge, charge.amount_refunded - refund.amount);
  move(state, 'refund_failed', charge.payment_intent, refund.amount);
  emit(state, 'refund.failed', refund);
  return refund;
}

// After a dispute that was won the charge may be refunded again.
function isDisputed(state: State, charge: ChargeObject): boolean {
  return [...state.disputes.values()].some(
    (dispute) => dispute.charge === charge.id && dispute.status !== 'won',
  );
}

function setRefunded(charge: ChargeObject, amount: number): void {
  charge.amount_refunded = amount;
  charge.refunded = amount === charge.amount;
}

function chargeOf(state: State, params: Params): ChargeObject {
  const { payment_intent: intentId, charge: chargeId } = params;
  const id =
    typeof chargeId === 'string' ? chargeId : state.intents.get(String(intentId))?.latest_charge;
  const charge = state.charges.get(id ?? '');
  if (charge === undefined || !charge.paid)
    throw missing('successful charge of', String(intentId ?? chargeId), 'payment_intent');
  return charge;
}
