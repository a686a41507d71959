import type { Caller } from './credentials.ts';
import { Refusal } from './refusals.ts';
import type { Budget, State } from './state.ts';
import type { Schema } from './typed.ts';

/** GitHub's primary limit: requests per hour, of each installation, and of the App itself. */

const LIMIT = 5_000;
const HOUR_MS = 3_600_000;

/** Of the App itself, and of whoever shows no credential. */
const OTHERS = { app: 0, 'no one': -1 };

function ownerOf(caller: Caller): number {
  if (caller.as === 'person') return caller.person.account.id;
  return caller.as === 'installation' ? caller.installation.id : OTHERS[caller.as];
}

/** Counts a request. Returns the headers of its answer. Errors: Refusal when the limit is spent. */
export function spend(state: State, caller: Caller): Record<string, string> {
  const budget = budgetOf(state, ownerOf(caller));
  if (budget.used >= LIMIT)
    throw new Refusal(budget.status, exceeded(state, caller), headersOf(budget));
  budget.used++;
  return headersOf(budget);
}

/** Spends the rest, until `resetIn` milliseconds have passed. */
export function exhaust(
  state: State,
  id: number,
  { resetIn = HOUR_MS, status = 403, remaining = 0 }: Exhaustion = {},
): void {
  const resetAt = state.now() + resetIn;
  state.budgets.set(id, { used: LIMIT - remaining, resetAt, status });
}

/** `remaining`: requests that are still answered; default none. */
export interface Exhaustion {
  resetIn?: number;
  status?: 403 | 429;
  remaining?: number;
}

export function rateOf(state: State, caller: Caller): Schema<'rate-limit'> {
  const { used, resetAt } = budgetOf(state, ownerOf(caller));
  return { limit: LIMIT, used, remaining: LIMIT - used, reset: Math.ceil(resetAt / 1000) };
}

function budgetOf({ budgets, now }: State, id: number): Budget {
  const found = budgets.get(id);
  if (found !== undefined && found.resetAt > now()) return found;
  const fresh: Budget = { used: 0, resetAt: now() + HOUR_MS, status: 403 };
  budgets.set(id, fresh);
  return fresh;
}

const headersOf = ({ used, resetAt }: Budget) => ({
  'x-ratelimit-limit': String(LIMIT),
  'x-ratelimit-used': String(used),
  'x-ratelimit-remaining': String(LIMIT - used),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
  'x-ratelimit-resource': 'core',
});

const exceeded = ({ app }: State, caller: Caller): string =>
  caller.as === 'installation'
    ? `API rate limit exceeded for installation ID ${caller.installation.id}.`
    : `API rate limit exceeded for app ID ${app.id}.`;
