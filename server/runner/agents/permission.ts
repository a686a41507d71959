import { posix } from 'node:path';
import type { AgentAnswer, AgentRequest, ToolCall } from './agent.ts';
import { fields, id, items, readToolCall, text } from './read-update.ts';

/** Answers what an agent asks permission for: by the mode of the turn, never by a person alone. */

interface Option {
  id: string;
  name: string;
  kind: string;
}

interface Permission {
  call: ToolCall;
  options: Option[];
  /** False when the tool call it belongs to has not been shown. */
  known: boolean;
}

/**
 * Each option once: some agents list one twice, and two answers of one id cannot be distinguished.
 */
export function readPermission(params: unknown, calls: Map<string, ToolCall>): Permission {
  const { toolCall, options } = fields(params);
  const toolCallId = id(fields(toolCall).toolCallId) ?? 'permission';
  const shown = calls.get(toolCallId);
  const call = readToolCall({ ...shown, ...defined(fields(toolCall)) }, toolCallId);
  const byId = new Map<string, Option>();
  for (const option of items(options).map(fields)) {
    const optionId = id(option.optionId);
    if (optionId === undefined || byId.has(optionId)) continue;
    const name = text(option.name)?.slice(0, 200) ?? optionId;
    byId.set(optionId, { id: optionId, name, kind: String(option.kind) });
  }
  return { call, options: [...byId.values()], known: shown !== undefined };
}

const defined = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field != null));

/** What cannot change anything. `switch_mode` is not among them: it would end the plan mode. */
const HARMLESS = new Set(['read', 'search', 'think']);

/**
 * What the mode decides by itself: an option, `refuse` where none of them refuses, or `ask` a
 * person. In `plan`, whatever may change something is refused. In `build`, the work tree is the
 * agent's; what concerns files outside it, or is of no kind that ACP names, is a person's to allow.
 */
export function decide(
  mode: 'plan' | 'build',
  { call, options }: Permission,
  workTree: string,
): Option | 'refuse' | 'ask' {
  const pick = (...kinds: string[]) =>
    kinds.map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  const harmless = HARMLESS.has(call.kind);
  if (mode === 'plan' && !harmless) return pick('reject_once', 'reject_always') ?? 'refuse';
  const inside = call.locations.every((path) => isInside(path, workTree));
  if (!harmless && !(BUILDING.has(call.kind) && inside)) return 'ask';
  // Only once: what is allowed forever would also hold in the mode after this one.
  return pick('allow_once', 'allow_always') ?? 'ask';
}

const BUILDING = new Set(['edit', 'delete', 'move', 'execute', 'fetch']);

const isInside = (path: string, workTree: string): boolean => {
  const absolute = posix.resolve(workTree, path);
  return absolute === workTree || absolute.startsWith(`${workTree}/`);
};

/** The question to a person. */
export function askAbout({ call, options }: Permission): AgentRequest {
  return {
    kind: 'permission',
    title: call.title.slice(0, 2_000),
    options: options.map(({ id: optionId, name }) => ({ id: optionId, name })),
    allowsText: false,
    toolCallId: call.toolCallId,
  };
}

export type PermissionOutcome = {
  outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };
};

/** An answer that is not one of the options counts as none. */
export function outcomeOf(answer: AgentAnswer, options: readonly Option[]): PermissionOutcome {
  const optionId = 'optionId' in answer ? answer.optionId : undefined;
  if (optionId !== undefined && options.some((option) => option.id === optionId))
    return { outcome: { outcome: 'selected', optionId } };
  return { outcome: { outcome: 'cancelled' } };
}
