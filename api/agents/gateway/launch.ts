import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCommand } from '../agent.ts';
import type { Gateway } from './gateway.ts';

/** How an agent learns where its model is. */

/**
 * The agent with its placeholders filled in: {model}, and with a gateway {token}. It is started by
 * the forwarder then, which fills in {base_url}. The forwarder is passed as text, so that nothing
 * of ours needs to be in the pod but Node.js.
 */
export function reaching(
  agent: AgentCommand,
  model: string,
  gateway: Pick<Gateway, 'socket' | 'token'> | undefined,
): { agent: AgentCommand; sockets?: Record<string, string> } {
  const fill = (value: string) =>
    value.replaceAll('{model}', model).replaceAll('{token}', gateway?.token ?? '{token}');
  const args = agent.args.map(fill);
  const env = Object.fromEntries(
    Object.entries(agent.env).map(([name, value]) => [name, fill(value)]),
  );
  if (gateway === undefined) return { agent: { ...agent, args, env } };
  const forwarder = ['--input-type=module', '--eval', forwarderText(), '--'];
  return {
    agent: { ...agent, env, command: 'node', args: [...forwarder, agent.command, ...args] },
    sockets: { model: gateway.socket },
  };
}

let text: string | undefined;

function forwarderText(): string {
  text ??= readFileSync(join(import.meta.dirname, 'forward.ts'), 'utf8');
  return text;
}
