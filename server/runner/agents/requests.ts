import { type AgentAnswer, AgentError, type StartAgent, type ToolCall } from './agent.ts';
import {
  askAbout,
  decide,
  outcomeOf,
  type PermissionOutcome,
  readPermission,
} from './permission.ts';
import { accept, readQuestion } from './question.ts';

/** What an agent asks: permissions, by the policy of the mode, and questions, of a person. */
export interface Requests {
  permission(params: unknown, signal: AbortSignal): Promise<PermissionOutcome>;
  question(params: unknown, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** The tool calls that were shown, by id. */
  calls: Map<string, ToolCall>;
  /** Withdraws what a person has not answered yet. */
  withdraw(): void;
}

export function requestsOf({ mode, pod, onRequest, onUpdate }: StartAgent): Requests {
  const calls = new Map<string, ToolCall>();
  let open = new AbortController();

  const ask = async (request: Parameters<typeof onRequest>[0], signal: AbortSignal) => {
    const until = AbortSignal.any([signal, open.signal]);
    const withdrawn = new Promise<AgentAnswer>((resolve) => {
      if (until.aborted) resolve({ withdrawn: true });
      until.addEventListener('abort', () => resolve({ withdrawn: true }), { once: true });
    });
    const answer = onRequest(request, until).catch((): AgentAnswer => ({ withdrawn: true }));
    return Promise.race([answer, withdrawn]);
  };

  return {
    calls,

    async permission(params, signal) {
      const permission = readPermission(params, calls);
      const { call, options, known } = permission;
      // Some agents ask before they show what for.
      if (!known) {
        calls.set(call.toolCallId, call);
        onUpdate({ type: 'tool_call', ...call });
      }
      const decision = decide(mode, permission, pod.workTree);
      if (decision === 'refuse') return { outcome: { outcome: 'cancelled' } };
      if (decision !== 'ask') return outcomeOf({ optionId: decision.id }, options);
      if (options.length === 0) return { outcome: { outcome: 'cancelled' } };
      return outcomeOf(await ask(askAbout(permission), signal), options);
    },

    async question(params, signal) {
      const question = readQuestion(params);
      if (question === undefined) return { action: 'decline' };
      const answer = await ask(question.request, signal);
      return 'withdrawn' in answer ? { action: 'cancel' } : accept(question, answer);
    },

    withdraw() {
      open.abort(new AgentError('aborted', 'the turn has ended'));
      open = new AbortController();
    },
  };
}
