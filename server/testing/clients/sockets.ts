import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';

/** A socket of a client that never closes its side, and what it has received. */
export interface Client {
  socket: Socket;
  text(): string;
  write(bytes: string): void;
  /** The server has closed or reset it. */
  isCut(): boolean;
}

/**
 * Connects to the server at `url`; the socket is destroyed after the tests. `deaf`: it reads
 * nothing.
 */
export async function openClient(
  url: string,
  { bytes = '', deaf = false }: { bytes?: string; deaf?: boolean } = {},
): Promise<Client> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  let cut = false;
  if (deaf) socket.pause();
  else
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
  const note = () => {
    cut = true;
  };
  socket.on('error', note).on('close', note).on('end', note);
  after(() => socket.destroy());
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes, 'latin1');
  return {
    socket,
    text: () => text,
    write: (more) => socket.write(more, 'latin1'),
    isCut: () => cut,
  };
}
