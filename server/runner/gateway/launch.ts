import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCommand } from '../agents/agent.ts';
import type { Gateway } from './gateway.ts';

/** How an agent learns where its model is, and what else is reached through a gateway. */

/** A gateway, and what of it the agent gets: `{erp_url}` in the environment is its address. */
interface OtherGateway {
  gateway: Pick<Gateway, 'socket'>;
  env: Readonly<Record<string, string>>;
}

/** Which placeholder becomes the address of which socket. */
const PLACEHOLDERS = { model: '{base_url}', erp: '{erp_url}' } as const;

/**
 * The agent with its placeholders filled in: {model}, and with a gateway {token}. It is started by
 * the forwarder then, which fills in {base_url} and {erp_url}. The forwarder is passed as text, so
 * that nothing of ours needs to be in the pod but Node.js.
 */
export function reaching(
  agent: AgentCommand,
  model: string,
  gateway: Pick<Gateway, 'socket' | 'token'> | undefined,
  erp?: OtherGateway,
): { agent: AgentCommand; sockets?: Record<string, string> } {
  const fill = (value: string) =>
    value.replaceAll('{model}', model).replaceAll('{token}', gateway?.token ?? '{token}');
  const { inImage } = agent;
  const filled = {
    ...agent,
    args: agent.args.map(fill),
    env: Object.fromEntries(Object.entries(agent.env).map(([name, value]) => [name, fill(value)])),
    ...(inImage && { inImage: { ...inImage, args: inImage.args.map(fill) } }),
  };
  if (gateway === undefined && erp === undefined) return { agent: filled };
  const sockets: Partial<Record<keyof typeof PLACEHOLDERS, string>> = {
    ...(gateway && { model: gateway.socket }),
    ...(erp && { erp: erp.gateway.socket }),
  };
  const names = Object.keys(sockets) as (keyof typeof PLACEHOLDERS)[];
  const places = Object.fromEntries(names.map((name) => [PLACEHOLDERS[name], name]));
  const forwarder = [
    '--input-type=module',
    '--eval',
    forwarderText(),
    '--',
    JSON.stringify(places),
  ];
  const started = ({ command, args }: Pick<AgentCommand, 'command' | 'args'>) => ({
    command: 'node',
    args: [...forwarder, command, ...args],
  });
  return {
    agent: {
      ...filled,
      ...started(filled),
      env: { ...filled.env, ...erp?.env },
      ...(filled.inImage && { inImage: started(filled.inImage) }),
    },
    sockets,
  };
}

let text: string | undefined;

function forwarderText(): string {
  text ??= readFileSync(join(import.meta.dirname, 'forward.ts'), 'utf8');
  return text;
}
