import type { AgentUpdate, ToolCall } from '../agents/agent.ts';

/** What became of the tools that an agent has used in one turn. */
export interface ToolCalls {
  note(update: AgentUpdate): void;
  /** Whether it has used some, and every one failed. */
  allFailed(): boolean;
}

export function toolCalls(): ToolCalls {
  const states = new Map<string, ToolCall['status']>();
  return {
    note(update) {
      if (update.type !== 'tool_call' && update.type !== 'tool_call_update') return;
      if (update.status !== undefined) states.set(update.toolCallId, update.status);
    },
    allFailed: () => states.size > 0 && [...states.values()].every((status) => status === 'failed'),
  };
}
