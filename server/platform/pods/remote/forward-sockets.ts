import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PodError } from '../pod.ts';
import { type ContainerName, type Engine, type EngineProcess, HELPER } from './engine.ts';
import { frame, unframe } from './frames.ts';

/**
 * Sockets of this machine in a pod that is elsewhere: the helper listens in the pod, and what it
 * hears comes here through its input and output, as messages of many connections. A socket cannot
 * be mounted from another machine, and the pod has no network.
 *
 * A message is a frame: the kind (one byte), the number of the connection (four), then content.
 */
export const OPEN = 1;
export const DATA = 2;
export const CLOSE = 3;
export const READY = 4;

export const message = (kind: number, connection: number, content?: Uint8Array): Buffer => {
  const header = Buffer.alloc(5);
  header.writeUInt8(kind);
  header.writeUInt32BE(connection, 1);
  return frame(content === undefined ? header : Buffer.concat([header, content]));
};

/** Calls `use` with each message of a stream. Throws where it has none of ours. */
export const readMessages = (
  use: (kind: number, connection: number, content: Buffer) => void,
): ((chunk: Uint8Array) => void) =>
  unframe((content) => {
    if (content.length < 5) throw new Error('a message is too short');
    use(content.readUInt8(), content.readUInt32BE(1), content.subarray(5));
  });

interface Forward {
  container: ContainerName;
  /** Where the sockets are in the pod. */
  folder: string;
  /** Paths of this machine by their names in the pod. */
  sockets: Readonly<Record<string, string>>;
}

const MOST_CONNECTIONS = 64;
/** What a socket of ours has not taken yet, before the whole pod has to wait. */
const MOST_WAITING = 4 * 1_048_576;
const READY_WITHIN_MS = 30_000;

/** Resolves once all of them can be connected to. Rejects with PodError. */
export async function forwardSockets(
  engine: Engine,
  id: string,
  { container, folder, sockets }: Forward,
): Promise<{ close(): void }> {
  const names = Object.entries(sockets);
  const all: EngineProcess[] = [];
  const close = () => {
    for (const process of all) process.disconnect();
  };
  try {
    for (const [name, path] of names) {
      const where = `${folder}/${name}`;
      const process = await engine.exec(id, container, ['node', HELPER, 'forward', where]);
      all.push(process);
      await relay(process, path);
    }
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}

/** Resolves once the helper listens. */
function relay(process: EngineProcess, path: string): Promise<void> {
  const connections = new Map<number, Socket>();
  const { stdin, stdout, stderr } = process;
  stderr.resume();
  stdin.on('error', () => undefined);
  const end = () => {
    for (const socket of connections.values()) socket.destroy();
    connections.clear();
    process.disconnect();
  };
  void process.exited.then(end);

  const send = (kind: number, connection: number, content?: Buffer) => {
    if (stdin.write(message(kind, connection, content))) return;
    const socket = connections.get(connection);
    socket?.pause();
    stdin.once('drain', () => socket?.resume());
  };

  const open = (connection: number) => {
    if (connections.size >= MOST_CONNECTIONS || connections.has(connection))
      return send(CLOSE, connection);
    const socket = connect(path);
    connections.set(connection, socket);
    socket.on('data', (chunk: Buffer) => send(DATA, connection, chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (connections.delete(connection)) send(CLOSE, connection);
    });
  };

  return new Promise((resolve, reject) => {
    const late = setTimeout(end, READY_WITHIN_MS);
    void process.exited.then(() => {
      clearTimeout(late);
      reject(new PodError('unavailable', 'the pod does not forward its socket'));
    });
    const take = readMessages((kind, connection, content) => {
      const socket = connections.get(connection);
      if (kind === READY) {
        clearTimeout(late);
        resolve();
      } else if (kind === OPEN) open(connection);
      else if (kind === CLOSE) {
        connections.delete(connection);
        socket?.end();
      } else if (kind === DATA && socket?.write(content) === false) holdBack(stdout, socket);
    });
    stdout.on('data', (chunk) => {
      try {
        take(chunk);
      } catch {
        end();
      }
    });
  });
}

function holdBack(stdout: EngineProcess['stdout'], socket: Socket): void {
  if (socket.writableLength < MOST_WAITING) return;
  stdout.pause();
  void Promise.race([once(socket, 'drain'), once(socket, 'close')])
    .catch(() => undefined)
    .then(() => stdout.resume());
}
