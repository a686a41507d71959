import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Address, lookupOf } from '../../platform/outgoing/resolve-name.ts';

/** A connection to a host as CONNECT asks for it. Rejects when there is none in time. */
export async function connectTo(
  port: number,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    // Any name: `lookup` knows the addresses.
    host: 'target.invalid',
    port,
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    noDelay: true,
  });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

/** Joins both; when one ends, so does the other, and both without a byte for `idle` milliseconds. */
export function join(client: Socket, host: Socket, idle: number): void {
  for (const [one, other] of [
    [client, host],
    [host, client],
  ] as const) {
    one.on('error', () => {}).on('close', () => other.end());
    one.setTimeout(idle, () => {
      client.destroy();
      host.destroy();
    });
    one.pipe(other);
  }
}
