import type { Usage } from '../agents/agent.ts';
import type { Reservation } from '../gateway/options.ts';
import type { Chunks } from './chunks.ts';
import type { Counted } from './record-cost.ts';
import type { TurnWork } from './runner.ts';

/** Charges what the agent of one turn costs, and tells it as events. */
interface AgentCosts {
  /** What the agent itself says. */
  reported(usage: Usage): void;
  /** Holds what a request to the gateway may cost, in nano-USD. Rejects when the turn cannot go on. */
  reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<Reservation>;
  /** Resolves when all is charged; rejects when something could not be. */
  charged(): Promise<unknown>;
}

interface Options {
  work: TurnWork;
  chunks: Chunks;
  /** As the catalog names it. */
  model: string;
  /** Nano-USD of tokens. */
  costOf(usage: Usage): bigint;
  /** Called as soon as a charge fails. */
  onError(error: unknown): void;
}

export function agentCosts({ work, chunks, model, costOf, onError }: Options): AgentCosts {
  const charges: Promise<void>[] = [];
  let priced = false;

  const track = (charging: Promise<void>): Promise<void> => {
    charging.catch(onError);
    charges.push(charging);
    return charging;
  };

  const charge = (
    nano: bigint,
    usage: Usage,
    { estimated = false, reserved = 0n } = {},
  ): Promise<void> => {
    const charging = track(work.charge(nano, { model, ...tokensOf(usage) }, reserved));
    const event = { ...usage, ...(estimated ? { estimated } : {}), costNano: String(nano) };
    chunks.event({ type: 'usage', payload: event });
    return charging;
  };

  return {
    reported(usage) {
      // Tokens besides a cost that the agent reports are not charged again.
      priced ||= usage.costNano !== undefined;
      void charge(usage.costNano ?? (priced ? 0n : costOf(usage)), usage);
    },
    async reserve(least, most, signal) {
      const nano = most === 0n ? 0n : await work.reserve(least, most, signal);
      return {
        nano,
        charge: (usage, estimated) => charge(costOf(usage), usage, { estimated, reserved: nano }),
        release: () => track(work.charge(0n, {}, nano)),
      };
    },
    charged: () => Promise.all(charges),
  };
}

/** Tokens of the cache are of the input, too. What was not reported stays unknown. */
function tokensOf(usage: Usage): Pick<Counted, 'inputTokens' | 'outputTokens'> {
  const { inputTokens, outputTokens, ...cache } = usage;
  const { cacheReadTokens, cacheWriteTokens, longCacheWriteTokens } = cache;
  const all = [inputTokens, cacheReadTokens, cacheWriteTokens, longCacheWriteTokens];
  const input = all.filter((n) => n !== undefined);
  return {
    inputTokens: input.length === 0 ? undefined : input.reduce((sum, n) => sum + n),
    outputTokens,
  };
}
