import { apiError } from '../../http/errors.ts';

/** 10^9 USD in micro-USD. Below it, a balance prints exactly as a JSON number (money.md). */
export const BALANCE_LIMIT = 1_000_000_000_000_000n;

export const balanceLimit = apiError(
  409,
  'balance_limit',
  'The balance must not exceed 1000000000.00 USD',
);
