import type { Socket } from 'node:net';
import { type Endpoint, ORDINARY_PORTS } from '../../platform/network/host-pattern.ts';

/** What one attempt has used of the network. */
export interface HostUse {
  /** With its port unless that is 443 or 80; `null` is all the others together. */
  host: string | null;
  requests: number;
  bytes_sent: number;
  bytes_received: number;
}

interface UseCounter {
  /** Counts a request to a host, and what its connection carries until that is closed. */
  add(target: Endpoint, connection: Socket): void;
  /** By how much they have carried. */
  list(): HostUse[];
  bytes(): number;
}

/** Hosts that are counted by name: what is below a `*.` pattern has no end. */
const MOST_HOSTS = 50;

export function useCounter(): UseCounter {
  const hosts = new Map<string | null, HostUse>();
  const open = new Map<Socket, HostUse>();

  const hostOf = (target: Endpoint): HostUse => {
    const name = nameOf(target);
    const key = hosts.has(name) || hosts.size < MOST_HOSTS ? name : null;
    const made = { host: key, requests: 0, bytes_sent: 0, bytes_received: 0 };
    const use = hosts.get(key) ?? made;
    hosts.set(key, use);
    return use;
  };
  const list = () => {
    const all = new Map([...hosts.values()].map((use) => [use, { ...use }]));
    for (const [{ bytesWritten, bytesRead }, use] of open) {
      const shown = all.get(use) as HostUse;
      shown.bytes_sent += bytesWritten;
      shown.bytes_received += bytesRead;
    }
    return [...all.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
  };
  return {
    add(target, connection) {
      const use = hostOf(target);
      use.requests += 1;
      open.set(connection, use);
      connection.once('close', () => {
        open.delete(connection);
        use.bytes_sent += connection.bytesWritten;
        use.bytes_received += connection.bytesRead;
      });
    },
    list,
    bytes: () => list().reduce((sum, use) => sum + bytesOf(use), 0),
  };
}

const nameOf = ({ host, port }: Endpoint): string =>
  ORDINARY_PORTS.includes(port) ? host : `${host}:${port}`;

const bytesOf = (use: HostUse) => use.bytes_sent + use.bytes_received;
