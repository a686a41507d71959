import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { CLOSE, DATA, message, OPEN, READY, readMessages } from '../remote/forward-sockets.ts';

/** Listens on a socket and passes its connections on, until the input ends. */
export async function forward(path: string): Promise<void> {
  const connections = new Map<number, Socket>();
  let last = 0;
  const send = (kind: number, connection: number, content?: Buffer) => {
    if (process.stdout.write(message(kind, connection, content))) return;
    const socket = connections.get(connection);
    socket?.pause();
    process.stdout.once('drain', () => socket?.resume());
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    last += 1;
    const connection = last;
    connections.set(connection, socket);
    send(OPEN, connection);
    socket.on('data', (chunk: Buffer) => send(DATA, connection, chunk));
    socket.on('error', () => undefined);
    // Both ends: an HTTP client that has sent its request still reads the answer.
    socket.on('close', () => {
      if (connections.delete(connection)) send(CLOSE, connection);
    });
  });
  const take = readMessages((kind, connection, content) => {
    const socket = connections.get(connection);
    if (kind === DATA) socket?.write(content);
    if (kind !== CLOSE) return;
    connections.delete(connection);
    socket?.end();
    socket?.destroySoon();
  });
  process.stdin.on('data', take).on('close', async () => {
    await rm(dirname(path), { recursive: true, force: true });
    process.exit(0);
  });
  await mkdir(dirname(path), { recursive: true });
  server.listen(path, () => send(READY, 0));
}
