import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentCommand } from './agent.ts';

/**
 * The agent that is there without configuration: a program of ours that plans and builds without a
 * model, as the sandbox processor is to cards.
 */
export const sandboxAgent: AgentCommand = {
  id: 'sandbox',
  command: 'node',
  args: [join(import.meta.dirname, 'sandbox/main.ts')],
  env: {},
  inImage: { command: 'node', args: ['/opt/guildhall/server/runner/agents/sandbox/main.ts'] },
  readable: [
    join(import.meta.dirname, 'sandbox'),
    join(import.meta.dirname, '../../../package.json'),
    ...['@agentclientprotocol/sdk', 'zod'].map(packageFolder),
  ],
};

/** Where a package is installed. */
function packageFolder(name: string): string {
  const entry = fileURLToPath(import.meta.resolve(name));
  const [before] = entry.split(join('node_modules', name));
  return join(before ?? dirname(entry), 'node_modules', name);
}
