import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Unix socket at which a pod finds one gateway, for one attempt at a turn. */
export interface PodSocket {
  /** Path of the socket on this machine. */
  path: string;
  /**
   * Cuts all connections, waits for `settled`, and removes the socket. Connections are cut first:
   * a request that never arrives whole would be waited for.
   */
  close(settled: () => Promise<void>): Promise<void>;
}

/** More connections than this are closed at once. */
const MAX_CONNECTIONS = 32;

/** Rejects with an Error when the socket cannot be made; the server is closed then. */
export async function openPodSocket(name: 'model' | 'erp', server: Server): Promise<PodSocket> {
  const folder = await mkdtemp(join(tmpdir(), `guildhall-${name}-`));
  const path = join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve);
    });
    // The user of the pod must pass the folder; the driver gives it the socket.
    await chmod(folder, 0o711);
    await chmod(path, 0o600);
  } catch (error) {
    server.close();
    await remove();
    throw error;
  }
  return {
    path,
    async close(settled) {
      server.close();
      server.closeAllConnections();
      await settled();
      await remove();
    },
  };
}

export const newToken = (): string => randomBytes(32).toString('base64url');

/** In constant time, whatever is presented. */
export const isToken = (token: string, presented: string | undefined): boolean =>
  timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', presented ?? '', 'buffer'));
