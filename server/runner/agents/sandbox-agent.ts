import { join } from 'node:path';
import type { AgentCommand } from './agent.ts';

/**
 * The agent that is there without configuration: a program of ours that plans and builds without a
 * model, as the sandbox processor is to cards.
 */
export const sandboxAgent: AgentCommand = {
  id: 'sandbox',
  command: 'node',
  args: [join(import.meta.dirname, 'sandbox/start.mjs')],
  env: {},
  inImage: { command: 'node', args: ['/opt/guildhall/server/runner/agents/sandbox/main.ts'] },
  readable: [
    join(import.meta.dirname, 'sandbox'),
    join(import.meta.dirname, '../../../package.json'),
  ],
};
