import type { Api, ModelLimits } from '../../platform/catalog/agent-fields.ts';
import type { Usage } from '../agents/agent.ts';
import type { Media } from './fields/permitted.ts';

/** What a request may cost at most, before it is sent. Nothing here is less than what can be. */

/** Tokens that a provider may add to what it is sent, such as its own instructions for tools. */
const ADDED = 4_096;
/** Tokens of one image: no model is known to count more. Small models of OpenAI count 48,000. */
const IMAGE: Readonly<Record<Api, number>> = { openai: 50_000, anthropic: 5_000, gemini: 50_000 };
/** Tokens of documents and recordings: a small file can have any number of pages or minutes. */
const FILES = 1_048_576;
/** Tokens of an answer where neither the agent nor the catalog says how long it may be. */
const OUTPUT = 32_000;
/** Tokens below which an answer is of no use: a request that can pay for less is not sent. */
const LEAST = 1_024;

interface Asked {
  api: Api;
  /** As it will be sent. */
  body: Record<string, unknown>;
  media: Media;
  /** Tokens that its answer may have; undefined if it does not say. */
  output: number | undefined;
  /** Whether it asks the cache to keep its input for an hour. */
  keepsLong: boolean;
  limits: ModelLimits;
  costOf(usage: Usage): bigint;
}

interface WorstCase {
  /** Its input, as what it costs most. */
  input: Usage;
  /** Tokens of its answer. */
  output: number;
  /** Nano-USD with the shortest answer that is of use, and with the longest. */
  least: bigint;
  most: bigint;
}

export function worstCase({ output: asked, limits, costOf, ...request }: Asked): WorstCase {
  const count = Math.min(inputTokens(request), limits.context ?? Number.POSITIVE_INFINITY);
  const kinds: Usage[] = [
    { inputTokens: count },
    { cacheWriteTokens: count },
    { cacheReadTokens: count },
    ...(request.keepsLong ? [{ longCacheWriteTokens: count }] : []),
  ];
  const input = kinds.reduce((dear, one) => (costOf(one) > costOf(dear) ? one : dear));
  const longest = limits.output ?? Number.POSITIVE_INFINITY;
  const output = Math.min(asked ?? limits.output ?? OUTPUT, longest);
  const cost = (tokens: number) => costOf({ ...input, outputTokens: tokens });
  return { input, output, least: cost(Math.min(LEAST, output)), most: cost(output) };
}

/**
 * A token is at least one byte. Tools count twice, because providers may show them to the model in a
 * longer form.
 */
function inputTokens({ api, body, media }: Pick<Asked, 'api' | 'body' | 'media'>): number {
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');
  const text = bytes(body) - media.characters + bytes(body.tools) + bytes(body.functions);
  return ADDED + text + media.images * IMAGE[api] + (media.files > 0 ? FILES : 0);
}

/** The longest answer that so many nano-USD pay for besides the input. */
export function affordable(
  { input, output }: WorstCase,
  nano: bigint,
  costOf: Asked['costOf'],
): number {
  let [pays, exceeds] = [0, output + 1];
  while (exceeds - pays > 1) {
    const middle = Math.floor((pays + exceeds) / 2);
    if (costOf({ ...input, outputTokens: middle }) <= nano) pays = middle;
    else exceeds = middle;
  }
  return pays;
}
