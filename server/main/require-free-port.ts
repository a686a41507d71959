import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Throws as listening there would, before a start changes what cannot be changed back. Throws an Error
 * with a sentence where HOST is no name of a machine.
 */
export async function requireFreePort(at: { port: number; host: string }): Promise<void> {
  const server = createServer().listen(at);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'getaddrinfo') throw error;
    throw new Error(
      `HOST must be an address of this machine, or a name that leads to one: ${at.host} cannot be ` +
        `found (${error.code}).`,
      { cause: error },
    );
  });
  server.close();
  await once(server, 'close');
}
