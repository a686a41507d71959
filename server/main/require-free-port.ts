import { once } from 'node:events';
import { createServer } from 'node:net';

/** Throws as listening there would, before a start changes what cannot be changed back. */
export async function requireFreePort(at: { port: number; host: string }): Promise<void> {
  const server = createServer().listen(at);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
