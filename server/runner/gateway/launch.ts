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

/** The network of an attempt, and what programs read to find it. */
interface Network {
  socket: string;
  env: Readonly<Record<string, string>>;
}

/** Which placeholder becomes the address of which socket. */
const PLACEHOLDERS = { model: '{base_url}', erp: '{erp_url}', proxy: '{proxy_url}' } as const;

type Sockets = Partial<Record<keyof typeof PLACEHOLDERS, string>>;

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
  network?: Network,
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
  if (gateway === undefined && erp === undefined && network === undefined) return { agent: filled };
  const sockets: Sockets = {
    ...(gateway && { model: gateway.socket }),
    ...(erp && { erp: erp.gateway.socket }),
    ...(network && { proxy: network.socket }),
  };
  return {
    agent: {
      ...filled,
      ...forwarding(filled, sockets),
      // What the operator says of an agent comes before what is said of all.
      env: { ...network?.env, ...filled.env, ...erp?.env },
      ...(filled.inImage && { inImage: forwarding(filled.inImage, sockets) }),
    },
    sockets,
  };
}

/** A command as it is started by the forwarder, which serves it these sockets. */
export function forwarding(
  { command, args }: Pick<AgentCommand, 'command' | 'args'>,
  sockets: Sockets,
): { command: string; args: string[] } {
  const names = Object.keys(sockets) as (keyof Sockets)[];
  const places = Object.fromEntries(names.map((name) => [PLACEHOLDERS[name], name]));
  const forwarder = ['--input-type=module', '--eval', forwarderText(), '--'];
  return { command: 'node', args: [...forwarder, JSON.stringify(places), command, ...args] };
}

let text: string | undefined;

function forwarderText(): string {
  text ??= readFileSync(join(import.meta.dirname, 'forward.ts'), 'utf8');
  return text;
}
