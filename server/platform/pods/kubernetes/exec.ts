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

/** Between two pings: proxies and the kubelet close what is silent. */
const PING_MS = 30_000;

export async function execIn(
  client: KubernetesClient,
  pod: string,
  container: string,
  command: readonly string[],
): Promise<EngineProcess> {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const part of command) query.append('command', part);
  const socket = await client.connect(`${pod}/exec?${query}`, PROTOCOLS);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let code: number | null = null;
  socket.on('message', (message: Buffer) => {
    const content = message.subarray(1);
    if (message[0] === STATUS) code = codeOf(content);
    const to = message[0] === STDOUT ? stdout : message[0] === STDERR ? stderr : undefined;
    if (to === undefined || content.length === 0 || to.write(content)) return;
    socket.pause();
    to.once('drain', () => socket.resume());
  });
  const ping = setInterval(() => socket.ping(), PING_MS);
  const exited = new Promise<number | null>((resolve) => {
    socket.once('close', () => {
      clearInterval(ping);
      stdout.end();
      stderr.end();
      resolve(code);
    });
  });
  return { stdin: inputOf(socket), stdout, stderr, exited, disconnect: () => socket.terminate() };
}

/** Its end ends the connection: there is no other end of input in all versions. */
const inputOf = (socket: WebSocket): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) =>
      socket.send(Buffer.concat([Buffer.of(STDIN), chunk]), (error) => done(error)),
    final(done) {
      socket.close();
      done();
    },
  }).on('error', () => undefined);

/** From the status of the API: success, or a failure with the code among its causes. */
function codeOf(content: Buffer): number | null {
  try {
    const { status, details } = JSON.parse(content.toString());
    if (status === 'Success') return 0;
    const cause = details?.causes?.find(({ reason }: { reason: string }) => reason === 'ExitCode');
    return cause === undefined ? null : Number(cause.message);
  } catch {
    return null;
  }
}
