import type { Usage } from './agent.ts';
import { fields } from './read-update.ts';

/**
 * What a session uses. Agents report it in three ways: tokens of one turn with the result of the
 * prompt, and a cost that grows over the session with an update or in the result's `_meta`.
 */
interface UsageMeter {
  /** Reads a `usage_update`. Returns the increase, if there is one. */
  update(value: unknown): Usage | undefined;
  /** Reads the result of a prompt. Returns what no update has reported before. */
  result(value: unknown): Usage | undefined;
}

const NANO = 1e9;

/** `known`: nano-USD that the session had reported before. */
export function usageMeter(known = 0n): UsageMeter {
  const cost = (value: unknown): Usage | undefined => {
    const total = costOf(value);
    if (total === undefined) return undefined;
    // A total that falls is that of an agent that counts from zero again.
    const increase = total >= known ? total - known : total;
    known = total;
    return increase === 0n ? undefined : { costNano: increase };
  };
  return {
    update: (value) => cost(fields(value).cost),
    result(value) {
      const { usage, _meta } = fields(value);
      const all = { ...tokensOf(usage), ...cost(fields(usage).cost ?? fields(_meta).cost) };
      return Object.keys(all).length === 0 ? undefined : all;
    },
  };
}

/**
 * Floats such as 0.30000000000000004 are rounded to whole nano-USD. An amount that is negative,
 * not finite, or in another currency is none.
 */
function costOf(value: unknown): bigint | undefined {
  const { amount, currency = 'USD' } =
    typeof value === 'number' ? { amount: value } : fields(value);
  if (typeof amount !== 'number' || currency !== 'USD') return undefined;
  if (!(amount >= 0 && amount < 1e6)) return undefined;
  return BigInt(Math.round(amount * NANO));
}

function tokensOf(value: unknown): Usage {
  const usage = fields(value);
  const tokens = {
    inputTokens: count(usage.inputTokens),
    outputTokens: count(usage.outputTokens),
    cacheReadTokens: count(usage.cachedReadTokens),
    cacheWriteTokens: count(usage.cachedWriteTokens),
  };
  return Object.fromEntries(Object.entries(tokens).filter(([, n]) => n !== undefined)) as Usage;
}

const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/** The sum of two; what neither has is left out. */
export function addUsage(a: Usage | undefined, b: Usage): Usage {
  const sum: Usage = { ...a };
  for (const name of TOKENS) if (b[name] !== undefined) sum[name] = (sum[name] ?? 0) + b[name];
  if (b.costNano !== undefined) sum.costNano = (sum.costNano ?? 0n) + b.costNano;
  return sum;
}

const TOKENS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'longCacheWriteTokens',
] as const;
