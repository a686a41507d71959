/** A rule of the ledger that its rows break, and where. */
export interface LedgerViolation {
  rule: string;
  accountId?: string;
  topUpId?: string;
  detail: string;
}

/**
 * How many violations of one kind are reported, so that a ledger which breaks everywhere can still
 * be audited.
 */
export const MOST = 1_000;
