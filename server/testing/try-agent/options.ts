import { parseArgs } from 'node:util';

/** What `npm run agents:try` can be told. */

export const HELP = `npm run agents:try -- --agent NAME --model MODEL [options]

Starts a server on a temporary database, and lets one agent do a small task with your key: plan,
change the plan, build, pull request, checks that fail, fix them, merge. It works on a package of
npm whose dependencies it installs from a registry that runs for the trial, through the proxy of
its pod. Prints what was seen, with times and costs. It asks your provider for a few answers, which
cost a few cents. Nothing of it is kept.

  --agent NAME     opencode, claude, codex, qwen or gemini; sandbox needs no model
  --model MODEL    as your provider names it
  --key-env NAME   the variable with the key of your provider; by default OPENAI_API_KEY,
                   ANTHROPIC_API_KEY or GEMINI_API_KEY, as the agent's API has it
  --base-url URL   where the provider is; by default that of OpenAI, Anthropic or Google
  --api API        for opencode: openai, anthropic or gemini (openai by default)
  --prices IN,OUT  USD for a million tokens of input and output; without it only tokens are told
  --folder PATH    where npm has installed the agent, beside the PATH
  --minutes N      how long all of it may take (15)
  --scripted       with a scripted model of this machine in place of a provider: needs no key
  --json           prints one JSON object
  --help
`;

/** What cannot be begun, as a sentence. */
export class Refusal extends Error {}

/** Throws Refusal. */
export function options() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      options: {
        agent: text,
        model: text,
        'key-env': text,
        'base-url': text,
        api: text,
        prices: text,
        folder: text,
        minutes: text,
        scripted: flag,
        json: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
}

export type Values = ReturnType<typeof options>;

/** Throws Refusal. */
export function minutesOf({ minutes = '15' }: Pick<Values, 'minutes'>): number {
  if (!/^[1-9]\d{0,3}$/.test(minutes))
    throw new Refusal('--minutes must be a whole number from 1 to 9999.');
  return Number(minutes);
}
