import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Endpoint, isAddress, ORDINARY_PORTS } from '../../platform/network/host-pattern.ts';
import { mayConnect } from '../../platform/outgoing/addresses.ts';
import { resolveNames } from '../../platform/outgoing/resolve-name.ts';
import type { Purpose } from '../../platform/pods/purposes.ts';
import type { HostUse } from './count-use.ts';
import { type ForwardProxy, openProxy } from './proxy.ts';
import { proxyVariables } from './proxy-variables.ts';
import type { RefusedHost } from './target.ts';

/** What the operator says of the network; see `network` of server/platform/config/network.ts. */
interface OperatorsNetwork {
  hosts: Readonly<Record<Purpose, readonly string[]>>;
  fixed: readonly Purpose[];
  privateNetworks: readonly string[];
  /** DNS servers instead of those of this machine, as `address:port`. */
  dnsServers?: readonly string[];
}

interface NetworkOrder {
  projectId: string;
  purpose: Purpose;
  /** Ends it. */
  signal: AbortSignal;
  /** Called once for each host that is refused, for a bounded number of them. */
  onRefused(refusal: NamedRefusal): void;
}

/** What the processes of one attempt at a turn, or of one command, reach of the network. */
export interface Network extends Pick<ForwardProxy, 'socket' | 'token' | 'used' | 'close'> {
  /** The environment of those processes. */
  env: Readonly<Record<string, string>>;
  /** What they may reach: names, and patterns. */
  hosts: readonly string[];
}

export type OpenNetwork = (order: NetworkOrder) => Promise<Network>;

/** A host that was refused, for people, and for the button that adds it to the list. */
export interface NamedRefusal {
  /** One sentence or two. */
  text: string;
  network?: Endpoint & {
    purpose: Purpose;
    because: RefusedHost['because'];
    /** What an admin of the project can add to its list; `null` if that would not help. */
    allow: string | null;
  };
}

/** Hosts that are named, of those that are refused: a program may try any number of names. */
const MOST_NAMED = 20;

/** Opens networks with the lists that projects have by then. */
export function networkOf(
  db: Pick<Database, 'many'>,
  { hosts, fixed, privateNetworks, dnsServers }: OperatorsNetwork,
): OpenNetwork {
  const resolve = resolveNames(dnsServers);
  const permitted = mayConnect(privateNetworks);
  return async ({ projectId, purpose, signal, onRefused }) => {
    const isFixed = fixed.includes(purpose);
    const own = isFixed ? [] : await db.many<{ host: string }>(hostsOf(projectId, purpose));
    const patterns = new Set([...hosts[purpose], ...own.map(({ host }) => host)]);
    const reach = { patterns, resolve, mayConnect: permitted };
    const named = namingOnce(purpose, isFixed, onRefused);
    const proxy = await openProxy({ ...reach, signal, onRefused: named });
    return { ...proxy, env: proxyVariables(proxy), hosts: [...patterns] };
  };
}

const hostsOf = (projectId: string, purpose: Purpose) => sql`
  select host from project_network_host where project_id = ${projectId} and purpose = ${purpose}`;

function namingOnce(
  purpose: Purpose,
  fixed: boolean,
  onRefused: NetworkOrder['onRefused'],
): (refused: RefusedHost) => void {
  const seen = new Set<string>();
  return (refused) => {
    const name = `${refused.host}:${refused.port}`;
    if (seen.has(name) || seen.size > MOST_NAMED) return;
    seen.add(name);
    if (seen.size > MOST_NAMED)
      onRefused({ text: 'More hosts were refused. They are not named any more.' });
    else onRefused(refusalOf(refused, purpose, fixed));
  };
}

const LISTS: Readonly<Record<Purpose, string>> = {
  setup: 'the setup',
  agent: 'agents',
  checks: 'checks',
  deploy: 'deploys',
};

function refusalOf(refused: RefusedHost, purpose: Purpose, fixed: boolean): NamedRefusal {
  const { host, port, because } = refused;
  const listable =
    because === 'not_listed' && !fixed && ORDINARY_PORTS.includes(port) && !isAddress(host);
  const list = `this project's list for ${LISTS[purpose]}`;
  const why =
    because === 'not_public'
      ? 'its name stands for an address that is not public'
      : `it is not on ${list}`;
  const next = listable
    ? 'An admin of the project can add it.'
    : 'Only the operator of this server can open it.';
  const allow = listable ? host : null;
  return {
    text: `${host}:${port} was refused: ${why}. ${next}`,
    network: { host, port, because, purpose, allow },
  };
}

/** What was used of the network, a line for each host. */
export const linesOf = (used: readonly HostUse[]): string[] =>
  used.map(
    ({ host, requests, bytes_sent, bytes_received }) =>
      `${host ?? 'other hosts'}: ${requests} ${requests === 1 ? 'request' : 'requests'}, ` +
      `${bytes_sent} bytes sent, ${bytes_received} received`,
  );
