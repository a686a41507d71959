import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The text of a body, up to `limit` bytes. Rejects beyond it. */
export async function textOf(stream: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

export class TooLarge extends Error {}

/** A Unix socket at which a pod finds one gateway, for one attempt at a turn. */
interface PodSocket {
  /** Path of the socket on this machine. */
  path: string;
  /**
   * Cuts all connections, waits for `settled`, and removes the socket. Connections are cut first:
   * a request that never arrives whole would be waited for.
   */
  close(settled: () => Promise<void>): Promise<void>;
}

/** At a new connection beyond these, one that is not in use is closed. */
const MAX_CONNECTIONS = 32;

/** Milliseconds. */
export const LIMITS = {
  headersTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Serves requests at a new socket. `requestTimeout`: until a request has arrived, in milliseconds.
 * Rejects with an Error when the socket cannot be made.
 */
export async function openPodSocket(
  name: 'model' | 'erp',
  requestTimeout: number,
  handle: RequestListener,
): Promise<PodSocket> {
  const headersTimeout = Math.min(LIMITS.headersTimeout, requestTimeout);
  const server = createServer({ ...LIMITS, headersTimeout, requestTimeout, maxHeaderSize: 16_384 });
  const { begin } = boundConnections(server, MAX_CONNECTIONS);
  server.on('request', (incoming, response) => {
    begin(incoming, response);
    handle(incoming, response);
  });
  const { path, remove } = await listenForPod(name, server);
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

/** Names whose folders of killed processes this process has looked for. */
const cleaned = new Set<string>();
const MOST_LEFT = 1_000;

/**
 * Removes the folders of this user at whose socket no process listens any more: their process was killed.
 * One that is just being made has no socket yet, and stays.
 */
async function removeLeft(name: string): Promise<void> {
  if (cleaned.has(name)) return;
  cleaned.add(name);
  const folders = (await readdir(tmpdir())).filter((each) => each.startsWith(`guildhall-${name}-`));
  for (const each of folders.slice(0, MOST_LEFT)) {
    const folder = join(tmpdir(), each);
    const stats = await lstat(folder).catch(() => undefined);
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    if (await isDeserted(join(folder, name)))
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

const isDeserted = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const answer = (deserted: boolean) => {
      socket.destroy();
      resolve(deserted);
    };
    socket.setTimeout(1_000, () => answer(false));
    socket.once('connect', () => answer(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => answer(code === 'ECONNREFUSED'));
  });

/**
 * Makes and removes such a socket. Rejects with an Error that says what to change where none can be made
 * in the folder for temporary files: every turn would fail.
 */
export async function checkPodSockets(): Promise<void> {
  const server = createServer();
  try {
    const { remove } = await listenForPod('probe', server);
    server.close();
    await remove();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EINVAL' ? 'its path is too long for a socket' : code;
    throw new Error(
      `TMPDIR must be a folder in which this user can make files and sockets: ${tmpdir()} is none (${why}). ` +
        'Agents reach their models by a socket there. Make that folder, or set TMPDIR to another one.',
      { cause: error },
    );
  }
}

/** Lets a server listen at a new socket, which `remove` removes. Rejects as `openPodSocket`. */
export async function listenForPod(
  name: string,
  server: Server,
): Promise<{ path: string; remove(): Promise<void> }> {
  await removeLeft(name);
  const folder = await mkdtemp(join(tmpdir(), `guildhall-${name}-`));
  const path = join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
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
  return { path, remove };
}

/**
 * Keeps a server at its bound of connections: those that a client has left open, or on which it has
 * sent half a request, must not shut others out. `begin` is to be called as a request begins, `hold` for a
 * connection that is in use until it is closed.
 */
export function boundConnections(server: Server, most: number) {
  /** Requests without a complete answer, of each connection; what has been idle longest is first. */
  const open = new Map<Socket, readonly Arriving[]>();

  const set = (socket: Socket, change: (before: readonly Arriving[]) => Arriving[]) => {
    const before = open.get(socket);
    if (before === undefined) return;
    open.delete(socket);
    open.set(socket, change(before));
  };

  /** The one that has been idle longest; else the one whose request has been arriving longest. */
  const unused = (): Socket | undefined => {
    const all = [...open];
    const found =
      all.find(([, requests]) => requests.length === 0) ??
      all.find(([, requests]) => requests.every(({ complete }) => !complete));
    return found?.[0];
  };

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const left = unused();
      // With all of them in use, the new one has to go.
      (left ?? socket).destroy();
      if (left === undefined) return;
      open.delete(left);
    }
    open.set(socket, []);
    socket.once('close', () => open.delete(socket));
  });

  return {
    begin(incoming: IncomingMessage, response: ServerResponse) {
      const { socket } = incoming;
      set(socket, (before) => [...before, incoming]);
      response.once('close', () =>
        set(socket, (before) => before.filter((one) => one !== incoming)),
      );
    },
    hold: (socket: Socket) => set(socket, () => [{ complete: true }]),
    closeAll() {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** A request, as far as it has arrived. */
type Arriving = Pick<IncomingMessage, 'complete'>;

export const newToken = (): string => randomBytes(32).toString('base64url');

/** In constant time, whatever is presented. */
export const isToken = (token: string, presented: string | undefined): boolean =>
  timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', presented ?? '', 'buffer'));
