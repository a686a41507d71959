import type { Pod } from '../platform/pods/pod.ts';
import type {
  AgentCommand,
  AgentRequest,
  AgentUpdate,
  StartAgent,
} from '../runner/agents/agent.ts';
import { startAgent } from '../runner/agents/start-agent.ts';

/** A session whose updates, requests and notices are recorded. Requests get the first option. */
export async function talk(pod: Pod, agent: AgentCommand, options: Partial<StartAgent> = {}) {
  const updates: AgentUpdate[] = [];
  const requests: AgentRequest[] = [];
  const notices: string[] = [];
  const session = await startAgent({
    agent,
    pod,
    mode: 'build',
    model: undefined,
    signal: new AbortController().signal,
    onUpdate: (update) => updates.push(update),
    onNotice: (line) => notices.push(line),
    onRequest: async (request) => {
      requests.push(request);
      const [first] = request.options;
      return first === undefined ? { text: 'an answer' } : { optionId: first.id };
    },
    ...options,
  });
  return { session, updates, requests, notices };
}
