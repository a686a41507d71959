import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { EngineProcess } from '../remote/engine.ts';
import { type DockerClient, faultOf } from './client.ts';

/** Runs a process in a container. Rejects with PodError where there is no such container. */
export async function execIn(
  client: DockerClient,
  container: string,
  command: readonly string[],
): Promise<EngineProcess> {
  const attach = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false };
  const path = `/containers/${encodeURIComponent(container)}/exec`;
  const made = await client.ask('POST', path, { ...attach, Cmd: command });
  if (made.status !== 201) throw faultOf(made.status, made.json);
  const id: string = made.json.Id;
  const socket = await client.hijack(`/exec/${id}/start`, { Detach: false, Tty: false });
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const over = demultiplex(socket, stdout, stderr);
  const exited = over.then(() => codeOf(client, id)).catch(() => null);
  return { stdin: socket, stdout, stderr, exited, disconnect: () => socket.destroy() };
}

/** Rounds of waiting for the code: the output ends a moment before the process has. */
const ROUNDS = 100;

async function codeOf(client: DockerClient, id: string): Promise<number | null> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { status, json } = await client.ask('GET', `/exec/${id}/json`);
    if (status !== 200) return null;
    if (json.Running === false) return json.ExitCode ?? null;
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 * (round + 1), 200)));
  }
  return null;
}

const HEADER = 8;
const STDERR = 2;

/**
 * Output comes in parts with a header each: the stream (one byte), three zeros, and the length
 * (four bytes, big endian). Resolves when it has ended.
 */
function demultiplex(socket: Socket, stdout: PassThrough, stderr: PassThrough): Promise<void> {
  let header = Buffer.alloc(0);
  let left = 0;
  let to = stdout;

  socket.on('data', (chunk: Buffer) => {
    for (let rest = chunk; rest.length > 0; ) {
      if (left === 0) {
        const missing = HEADER - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER) return;
        to = header.readUInt8() === STDERR ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      if (to.write(part)) continue;
      socket.pause();
      to.once('drain', () => socket.resume());
    }
  });
  return new Promise((resolve) => {
    const end = () => {
      stdout.end();
      stderr.end();
      resolve();
    };
    socket.on('error', () => undefined);
    socket.on('end', end).on('close', end);
  });
}
