import type { RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Client } from './connection.ts';

/** What the sandbox agent says to its client during one turn. */

export interface Talk {
  message(text: string): Promise<void>;
  thought(text: string): Promise<void>;
  todo(entries: string[], done: number): Promise<void>;
  /** Shows a tool call around `work`, whose result is its output. */
  tool(
    call: { title: string; kind: 'read' | 'execute' },
    work: () => Promise<string>,
  ): Promise<string>;
  /** Asks for permission to change a file, then changes it. Throws Refused. */
  edit(
    diff: { path: string; oldText?: string; newText: string },
    work: () => Promise<void>,
  ): Promise<void>;
  /** Returns the id of the option, or undefined when no one chose. */
  permission(title: string): Promise<string | undefined>;
  /** Returns the option that was chosen. */
  question(title: string, options: string[]): Promise<string | undefined>;
  /** Reports what the session has cost so far, as agents do: in a float. */
  cost(total: number): Promise<void>;
  /** Waits a moment; throws Cancelled when the turn was cancelled. */
  pause(milliseconds?: number): Promise<void>;
  written(): number;
}

export class Cancelled extends Error {}
export class Refused extends Error {}

const OPTIONS = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
] as const;

let calls = 0;

export function talkTo(client: Client, sessionId: string, signal: AbortSignal): Talk {
  let written = 0;
  const send = (update: SessionUpdate) => client.notify('session/update', { sessionId, update });

  const askFor = async (toolCall: {
    toolCallId: string;
    title: string;
    kind: 'edit' | 'other';
  }) => {
    const request = { sessionId, toolCall, options: [...OPTIONS] };
    const answer = await client.request('session/request_permission', request);
    const { outcome } = answer as RequestPermissionResponse;
    return outcome.outcome === 'selected' ? outcome.optionId : undefined;
  };

  return {
    async message(text) {
      written += text.length;
      // In pieces, as a model writes.
      for (const piece of text.match(/[\s\S]{1,400}/g) ?? [])
        await send({
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: piece },
        });
    },
    thought: (text) =>
      send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
    todo: (entries, done) =>
      send({
        sessionUpdate: 'plan',
        entries: entries.map((content, i) => ({
          content,
          priority: 'medium',
          status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
        })),
      }),
    async tool({ title, kind }, work) {
      const toolCallId = `call-${++calls}`;
      await send({ sessionUpdate: 'tool_call', toolCallId, title, kind, status: 'in_progress' });
      const text = await work();
      const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
      await send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
      return text;
    },
    async edit(diff, work) {
      const toolCallId = `call-${++calls}`;
      const call = { toolCallId, title: `Edit ${diff.path}`, kind: 'edit' as const };
      const content = [{ type: 'diff' as const, ...diff }];
      const locations = [{ path: diff.path }];
      await send({ sessionUpdate: 'tool_call', ...call, status: 'pending', content, locations });
      const allowed = (await askFor(call)) === 'allow';
      const end = (status: 'completed' | 'failed') =>
        send({ sessionUpdate: 'tool_call_update', toolCallId, status });
      if (!allowed) {
        await end('failed');
        throw new Refused(`${diff.path} may not be changed`);
      }
      await work();
      await end('completed');
    },
    permission: (title) => askFor({ toolCallId: `call-${++calls}`, title, kind: 'other' }),
    async question(title, options) {
      const answer = await client.request('elicitation/create', {
        mode: 'form' as const,
        sessionId,
        message: title,
        requestedSchema: {
          type: 'object' as const,
          required: ['answer'],
          properties: { answer: { type: 'string' as const, enum: options } },
        },
      });
      const { content } = answer as { content?: { answer?: string } };
      return content?.answer;
    },
    cost: (amount) =>
      send({ sessionUpdate: 'usage_update', used: 0, size: 0, cost: { amount, currency: 'USD' } }),
    async pause(milliseconds = 50) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        const end = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
      });
      if (signal.aborted) throw new Cancelled();
    },
    written: () => written,
  };
}
