import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../../http/client-network.ts';

/** The connections of an entry: strangers do not fill it. */

const MOST = 1_024;
/** From one address, which may be that of a proxy. */
const MOST_OF_NETWORK = 512;

export interface Connections {
  /** Someone with a right has asked on it: it is closed for no other one. */
  prove(socket: object): void;
}

/**
 * At a bound, a new connection takes the place of the oldest one on which nobody with a right has
 * asked for anything. Where there is none, it is closed itself.
 */
export function boundConnections(server: Server): Connections {
  const all = new Map<Socket, string>();
  const ofNetworks = new Map<string, Set<Socket>>();
  const proven = new WeakSet<object>();

  function forget(socket: Socket): void {
    const network = all.get(socket) ?? '';
    const neighbors = ofNetworks.get(network);
    all.delete(socket);
    neighbors?.delete(socket);
    if (neighbors?.size === 0) ofNetworks.delete(network);
  }

  function hasRoom(among: { size: number; keys(): Iterator<Socket> }, most: number): boolean {
    if (among.size < most) return true;
    const stranger = Iterator.from(among.keys()).find((one) => !proven.has(one));
    if (stranger === undefined) return false;
    forget(stranger);
    stranger.destroy();
    return true;
  }

  server.prependListener('connection', (socket: Socket) => {
    // Unknown if the client has gone already.
    const network = networkOf(socket.remoteAddress ?? '');
    if (!hasRoom(ofNetworks.get(network) ?? new Set(), MOST_OF_NETWORK) || !hasRoom(all, MOST)) {
      socket.destroy();
      return;
    }
    all.set(socket, network);
    ofNetworks.set(network, (ofNetworks.get(network) ?? new Set()).add(socket));
    socket.once('close', () => forget(socket));
  });
  return { prove: (socket) => void proven.add(socket) };
}
