import { chown, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../tree/remove-tree.ts';
import type { PodUser } from './pod-user.ts';

/**
 * Makes sockets available by their name to a process that is not confined. A pod that is confined
 * has them mounted instead.
 */
export async function linkSockets(
  folder: string,
  sockets: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, path] of Object.entries(sockets)) {
    const link = join(folder, name);
    await removeTree(link);
    await symlink(path, link);
  }
}

/** To connect to a socket, one must be able to write to it. */
export async function giveSockets(
  sockets: Readonly<Record<string, string>>,
  user: PodUser | undefined,
): Promise<void> {
  if (user === undefined) return;
  for (const path of Object.values(sockets)) await chown(path, user.uid, user.gid);
}
