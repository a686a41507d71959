import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSession, StartAgent } from '../../runner/agents/agent.ts';

/**
 * An agent without a process: it notes each prompt as a line of the file `prompts`, writes the same
 * file into the work tree each time, and costs a cent.
 */
export const writingAgent =
  (prompts: string) =>
  async ({ pod, onUpdate }: StartAgent): Promise<AgentSession> => ({
    sessionId: 'a session',
    resumed: false,
    prompt: async (text) => {
      appendFileSync(prompts, `${JSON.stringify(text)}\n`);
      writeFileSync(join(pod.hostWorkTree as string, 'work.txt'), text);
      onUpdate({ type: 'message', text: 'Done' });
      onUpdate({ type: 'usage', usage: { costNano: 10_000_000n } });
      return { stopReason: 'done', text: 'Done', alive: true };
    },
    cancel: async () => {},
    close: async () => {},
    ended: new Promise(() => {}),
  });
