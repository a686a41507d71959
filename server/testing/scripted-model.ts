import type { Asked, Reply } from './fakes/model-provider/shapes.ts';
import type { InstalledAgent } from './installed-agents.ts';

/** What the scripted model plans, first and after changes were requested. */
export const PLAN = 'The plan: write hello.txt.';
const CHANGED_PLAN = 'The changed plan: write hello.txt, and nothing else.';
/** A request for changes that has this in it gets the changed plan. */
export const CHANGE = 'Say in the plan that nothing else changes.';

/** What the prompts of turns have in them. */
const PROMPTS = ['Write a plan for the following', 'This plan was approved'];

/**
 * A model that looks around and then plans. It tries to write in a plan turn, too, where the agent
 * must not let it.
 */
export function scriptedModel({ look, write }: Pick<InstalledAgent, 'look' | 'write'>) {
  const usage = { input: 1_000, output: 100, cached: 400 };
  const call = (tools: Asked['tools'], calls: Record<string, object>): Reply['tool'] => {
    const name = tools.find((one) => calls[one] !== undefined);
    return name === undefined ? undefined : { name, input: calls[name] as object };
  };
  let steps = 0;
  let prompt = '';
  return ({ all, tools }: Asked): Reply => {
    // Agents also ask for titles and the like, without tools.
    if (tools.length === 0) return { text: 'A title', usage };
    // Not by the last message: some agents add reminders of their own after the result of a tool.
    const now = [...PROMPTS, CHANGE].map((text) => all.split(text).length).join();
    if (now !== prompt) steps = 0;
    prompt = now;
    steps += 1;
    const tool = (steps === 1 ? call(tools, look) : undefined) ?? call(tools, write);
    if (steps <= 2 && tool !== undefined)
      return { text: 'I see.', usage, tool: { ...tool, id: `call-${all.length}-${steps}` } };
    if (all.includes('This plan was approved')) return { text: 'It is done.', usage };
    return { text: all.includes(CHANGE) ? CHANGED_PLAN : PLAN, usage };
  };
}
