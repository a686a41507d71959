import { PassThrough, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EngineProcess } from '../remote/engine.ts';
import type { KubernetesClient } from './client.ts';

/**
 * Runs a process in a container, over a WebSocket. The first byte of each message says what it
 * belongs to; the last message of the process is its status.
 */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

/** The newer one can also close the input, which our frames make needless. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Bytes of content: the API server ends a connection with a message of more than 32 MiB. */
const MOST_MESSAGE = 1_048_576;

interface Exec {
  container: string;
  command: readonly string[];
  /** Milliseconds between two signs of life. */
  ping: number;
}

/** Rejects with PodError where it is refused. `pod`: the path of its object. */
export async function execIn(
  client: KubernetesClient,
  pod: string,
  { container, command, ping }: Exec,
): Promise<EngineProcess> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const part of command) query.append('command', part);
  const socket = await client.connect(`${pod}/exec?${query}`, PROTOCOLS);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let code: number | null = null;
  socket.on('message', (message: Buffer) => {
    const content = message.subarray(1);
    if (message[0] === STATUS) {
      const end = endOf(content);
      ({ code } = end);
      if (end.words !== undefined) stderr.write(`${end.words}\n`);
      return;
    }
    const to = message[0] === STDOUT ? stdout : message[0] === STDERR ? stderr : undefined;
    if (to === undefined || content.length === 0 || to.write(content)) return;
    socket.pause();
    to.once('drain', () => socket.resume());
  });
  const alive = setInterval(() => {
    // Proxies close what is silent. For the API server pings are silence: after four hours without
    // input or output it ends the process.
    socket.ping();
    socket.send(Buffer.of(STDIN));
  }, ping);
  const exited = new Promise<number | null>((resolve) => {
    socket.once('close', () => {
      clearInterval(alive);
      stdout.end();
      stderr.end();
      resolve(code);
    });
  });
  socket.resume();
  return { stdin: inputOf(socket), stdout, stderr, exited, disconnect: () => socket.terminate() };
}

/** Its end ends the connection: there is no other end of input in all versions. */
const inputOf = (socket: WebSocket): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      const send = (at: number) => {
        const next = at + MOST_MESSAGE;
        const message = Buffer.concat([Buffer.of(STDIN), chunk.subarray(at, next)]);
        socket.send(message, (error) => (error || next >= chunk.length ? done(error) : send(next)));
      };
      send(0);
    },
    final(done) {
      socket.close();
      done();
    },
  }).on('error', () => undefined);

/** The code of a program that could not be started, as a shell has it. */
const NOT_STARTED = 127;

/**
 * From the status of the API: success, or a failure with the code among its causes. Another failure
 * is in words: the program does not exist, or the container is not there any more.
 */
function endOf(content: Buffer): { code: number | null; words?: string } {
  try {
    const { status, message, details } = JSON.parse(content.toString());
    if (status === 'Success') return { code: 0 };
    const cause = details?.causes?.find(({ reason }: { reason: string }) => reason === 'ExitCode');
    if (cause !== undefined) return { code: Number(cause.message) };
    const words = String(message).slice(0, 1_000);
    return { code: /exec: "/.test(words) ? NOT_STARTED : null, words };
  } catch {
    return { code: null };
  }
}
