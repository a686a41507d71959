/** The states of an ERP instance as its row has them; `ended`: the row only tells of it. */
export const INSTANCE_STATES = ['starting', 'running', 'stopping', 'failed', 'ended'] as const;

type StoredInstanceState = (typeof INSTANCE_STATES)[number];

/**
 * Where an instance can go from each state. The database refuses everything else
 * (check_erp_instance_transition), and a test holds the two equal.
 *
 * `running` to `starting`: the worker that kept it has died, and another one starts it again.
 */
export const INSTANCE_TRANSITIONS: Record<StoredInstanceState, readonly StoredInstanceState[]> = {
  starting: ['running', 'failed', 'stopping'],
  running: ['starting', 'failed', 'stopping'],
  stopping: ['ended'],
  failed: ['stopping'],
  ended: [],
};

/** Those in which it takes up a place. */
export const LIVE_STATES = ['starting', 'running', 'stopping'] as const;

/** Why one was ended that is not paid: the codes with which another one is refused. */
export const UNPAID_CODES = ['insufficient_funds', 'account_not_active', 'spend_limit'] as const;
