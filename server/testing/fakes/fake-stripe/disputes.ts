import { disputed, reinstated } from './balance.ts';
import { missing, notNow } from './failure.ts';
import { type DisputeObject, emit, move, newId, type State, seconds } from './state.ts';

/**
 * The bank takes a charge back: the funds leave at once. `amount` in cents, default all that is
 * left.
 */
export function dispute(
  state: State,
  intentId: string,
  options: { amount?: number } = {},
): DisputeObject {
  const charge = state.charges.get(state.intents.get(intentId)?.latest_charge ?? '');
  if (charge === undefined || !charge.paid) throw missing('charge of', intentId, 'intent');
  const amount = options.amount ?? charge.amount - charge.amount_refunded;
  const made: DisputeObject = {
    id: newId('dp'),
    object: 'dispute',
    amount,
    currency: 'usd',
    charge: charge.id,
    payment_intent: intentId,
    status: 'needs_response',
    balance_transactions: [],
    created: seconds(state),
  };
  state.disputes.set(made.id, made);
  charge.disputed = true;
  emit(state, 'charge.dispute.created', made);
  made.balance_transactions.push(disputed(state, made.id, amount));
  move(state, 'dispute_withdrawn', intentId, amount);
  emit(state, 'charge.dispute.funds_withdrawn', made);
  return made;
}

/** The bank's decision: a dispute that was won brings the funds back. */
export function closeDispute(state: State, id: string, outcome: 'won' | 'lost'): DisputeObject {
  const found = state.disputes.get(id);
  if (found === undefined) throw missing('dispute', id);
  if (found.status !== 'needs_response')
    throw notNow('dispute_closed', `This dispute was already ${found.status}`);
  found.status = outcome;
  emit(state, 'charge.dispute.closed', found);
  if (outcome === 'lost') return found;
  found.balance_transactions.push(reinstated(state, id, found.amount));
  move(state, 'dispute_reinstated', found.payment_intent, found.amount);
  emit(state, 'charge.dispute.funds_reinstated', found);
  return found;
}
