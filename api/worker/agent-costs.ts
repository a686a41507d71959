import type { Usage } from '../agents/agent.ts';
import type { Chunks } from './chunks.ts';
import type { Counted } from './record-cost.ts';
import type { TurnWork } from './runner.ts';

/** Charges what the agent of one turn costs, and tells it as events. */
export interface AgentCosts {
  /** What the agent itself says. */
  reported(usage: Usage): void;
  /** What the gateway has counted. Rejects when it cannot be charged. */
  counted(usage: Usage, estimated: boolean): Promise<void>;
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

  const charge = (nano: bigint, usage: Usage, estimated = false): Promise<void> => {
    const charging = work.charge(nano, { model, ...tokensOf(usage) });
    charging.catch(onError);
    charges.push(charging);
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
    counted: (usage, estimated) => charge(costOf(usage), usage, estimated),
    charged: () => Promise.all(charges),
  };
}

/** Tokens of the cache are of the input, too. What was not reported stays unknown. */
function tokensOf(usage: Usage): Pick<Counted, 'inputTokens' | 'outputTokens'> {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const input = [inputTokens, cacheReadTokens, cacheWriteTokens].filter((n) => n !== undefined);
  return {
    inputTokens: input.length === 0 ? undefined : input.reduce((sum, n) => sum + n),
    outputTokens,
  };
}
