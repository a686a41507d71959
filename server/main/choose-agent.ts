import { microUsd } from '../billing/ledger/money.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import type { Catalogs } from '../platform/catalog/read-catalog.ts';
import type { Usage } from '../runner/agents/agent.ts';
import { sandboxAgent } from '../runner/agents/sandbox-agent.ts';
import type { ChosenAgent } from '../runner/worker/converse.ts';
import { TurnFailed } from '../runner/worker/runner.ts';

type Prices = Catalog['models'][number]['prices'];

/**
 * The agent of a model of the catalog; null is the catalog's default. Undefined for a model that is
 * not in the catalog. Throws TurnFailed when there is no default.
 */
export const agentsOf =
  ({ catalog: { models }, agents }: Catalogs) =>
  (wanted: string | null): ChosenAgent | undefined => {
    const model = models.find(({ id, is_default }) =>
      wanted === null ? is_default : id === wanted,
    );
    if (model === undefined && wanted !== null) return undefined;
    if (model === undefined)
      throw new TurnFailed('This server has no default model: choose a model for the task.');
    const use = agents.models.get(model.id);
    if (use === undefined) return undefined;
    const { launch = sandboxAgent, provider, name, limits } = use;
    return {
      agent: launch,
      provider,
      modelId: model.id,
      model: name,
      costOf: costBy(model.prices),
      limits,
      sessionModel: use.launch?.sessionModel,
    };
  };

/**
 * Nano-USD of tokens at these prices, rounded up. Tokens of the cache are counted besides those of
 * the input, and cost as much as these where the catalog has no price of their own; twice as much
 * where the cache keeps them for an hour.
 */
export const costBy =
  ({ input, output, cache_read = input, cache_write = input, cache_write_1h }: Prices) =>
  (usage: Usage): bigint => {
    const longWrite = cache_write_1h === undefined ? 2n * micro(input) : micro(cache_write_1h);
    const cost =
      BigInt(usage.inputTokens ?? 0) * micro(input) +
      BigInt(usage.outputTokens ?? 0) * micro(output) +
      BigInt(usage.cacheReadTokens ?? 0) * micro(cache_read) +
      BigInt(usage.cacheWriteTokens ?? 0) * micro(cache_write) +
      BigInt(usage.longCacheWriteTokens ?? 0) * longWrite;
    // Micro-USD a million tokens are thousandths of a nano-USD a token.
    return (cost + 999n) / 1_000n;
  };

/** The catalog was checked when it was read. */
const micro = (price: string): bigint => microUsd(price) as bigint;
