/**
 * What other areas may do with money: whom it is taken from, what may be spent, holds, usage, and
 * what happens to the account of a workspace that goes or changes hands. All of it is SQL of the
 * ledger, for the transaction of whoever calls.
 */

export { forgetPayer } from './cards/forget-payer.ts';
export { balanceLimit } from './ledger/balance-limit.ts';
export { endHoldsOf } from './ledger/end-holds.ts';
export { type Grantee, grantCredits } from './ledger/grant-credits.ts';
export { accountNotActive, hold, insufficientFunds } from './ledger/holds.ts';
export { microUsd, usdText } from './ledger/money.ts';
export { account } from './ledger/paying-account.ts';
export { giveUpBalance, moneyOfLeaving } from './ledger/personal-account.ts';
export { requirePayer, unpaidErrors } from './ledger/require-payer.ts';
export { seesBilling } from './ledger/sees-billing.ts';
export { askedFor, isSpent, leftUnder, limitIsOn, limits } from './ledger/spend-limits.ts';
export { recordUsage, settleAccount, type UsageEvent } from './ledger/usage.ts';
export {
  closeWorkspaceAccount,
  handOverWorkspaceAccount,
  hasOpenMoney,
  stopChargingCardsOf,
} from './ledger/workspace-account.ts';
export { storedMode } from './mode/enter-mode.ts';
export { usdOfNano } from './usage/amount.ts';
