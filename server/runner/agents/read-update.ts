import type { AgentUpdate, TodoEntry, ToolCall, ToolContent, ToolKind } from './agent.ts';

/**
 * Reads the updates of a session. Agents send some that the schema of ACP rejects, with missing
 * fields or kinds of their own, so every field is read by itself and what cannot be read is left
 * out. Returns undefined for what no one needs to see.
 */

const MAX_TEXT = 32_768;
const MAX_ITEMS = 200;

type Fields = Record<string, unknown>;

export function readUpdate(value: unknown): AgentUpdate | undefined {
  const update = fields(value);
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return chunk('message', update);
    case 'agent_thought_chunk':
      return chunk('thought', update);
    case 'tool_call':
      return todoOf(update) ?? toolCall(update);
    case 'tool_call_update':
      return todoOf(update) ?? toolCallUpdate(update);
    case 'plan':
      return { type: 'todo', entries: entriesOf(update.entries) };
    default:
      return undefined;
  }
}

function chunk(type: 'message' | 'thought', update: Fields): AgentUpdate | undefined {
  const written = textOf(update.content);
  // Some agents begin or end a message with an empty chunk.
  if (written === undefined || written === '') return undefined;
  const messageId = id(update.messageId);
  return { type, text: written, ...(messageId === undefined ? {} : { messageId }) };
}

function toolCall(update: Fields): AgentUpdate | undefined {
  const toolCallId = id(update.toolCallId);
  if (toolCallId === undefined) return undefined;
  return { type: 'tool_call', ...readToolCall(update, toolCallId) };
}

/** A tool call with everything it may lack; also that of a request for permission. */
export const readToolCall = (value: unknown, toolCallId: string): ToolCall => {
  const call = fields(value);
  return {
    toolCallId,
    title: text(call.title) ?? text(call.name) ?? 'Tool',
    kind: kindOf(call.kind) ?? 'other',
    status: statusOf(call.status) ?? 'pending',
    content: contentOf(call.content),
    locations: locationsOf(call.locations),
  };
};

function toolCallUpdate(update: Fields): AgentUpdate | undefined {
  const toolCallId = id(update.toolCallId);
  if (toolCallId === undefined) return undefined;
  const title = text(update.title);
  const kind = kindOf(update.kind);
  const status = statusOf(update.status);
  return {
    type: 'tool_call_update',
    toolCallId,
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(Array.isArray(update.content) ? { content: contentOf(update.content) } : {}),
    ...(Array.isArray(update.locations) ? { locations: locationsOf(update.locations) } : {}),
  };
}

/** Some agents have a tool that writes their list of things to do, and send no `plan`. */
function todoOf(update: Fields): AgentUpdate | undefined {
  const { todos } = fields(update.rawInput);
  return Array.isArray(todos) ? { type: 'todo', entries: entriesOf(todos) } : undefined;
}

function entriesOf(values: unknown): TodoEntry[] {
  return items(values).flatMap((value) => {
    const entry = fields(value);
    const content = text(entry.content) ?? text(entry.text) ?? text(entry.title);
    if (content === undefined) return [];
    const status = oneOf(['pending', 'in_progress', 'completed'], entry.status) ?? 'pending';
    const priority = oneOf(['high', 'medium', 'low'], entry.priority) ?? 'medium';
    return [{ content, status, priority }];
  });
}

function contentOf(values: unknown): ToolContent[] {
  return items(values).flatMap((value): ToolContent[] => {
    const part = fields(value);
    if (part.type === 'diff') {
      const { path, oldText, newText } = part;
      if (typeof path !== 'string' || typeof newText !== 'string') return [];
      const old = typeof oldText === 'string' ? { oldText: cut(oldText) } : {};
      return [{ type: 'diff', path: cut(path), ...old, newText: cut(newText) }];
    }
    const shown = textOf(part.content ?? part);
    return shown === undefined ? [] : [{ type: 'text', text: shown }];
  });
}

const locationsOf = (values: unknown): string[] =>
  items(values).flatMap((value) => text(fields(value).path) ?? []);

/** The text of a block of content. Images, sound and resources have none. */
function textOf(block: unknown): string | undefined {
  if (typeof block === 'string') return cut(block);
  const { type, text: written } = fields(block);
  return (type === 'text' || type === undefined) && typeof written === 'string'
    ? cut(written)
    : undefined;
}

const KINDS = [
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch'] as const),
  ...(['switch_mode', 'other'] as const),
];
const kindOf = (value: unknown): ToolKind | undefined => oneOf(KINDS, value);
const statusOf = (value: unknown) =>
  oneOf(['pending', 'in_progress', 'completed', 'failed'] as const, value);

const oneOf = <const Value extends string>(values: readonly Value[], value: unknown) =>
  values.find((one) => one === value);

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const items = (value: unknown): unknown[] =>
  Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [];

/** Text that is not empty, cut at the limit. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? cut(value) : undefined;

export const id = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length >= 1 && value.length <= 200 ? value : undefined;

/** Never between the two halves of a character. */
function cut(value: string): string {
  const end = value.slice(0, MAX_TEXT);
  return end.isWellFormed() ? end : end.toWellFormed();
}
