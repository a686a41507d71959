import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/**
 * Programs that a machine may have or not: tests with them are skipped where they are missing, with
 * a reason.
 */

/** The first line of what `program args` prints; nothing where there is no such program. */
export async function versionOf(program: string, args: string[]): Promise<string | undefined> {
  const { stdout, stderr } = await promisify(execFile)(program, args).catch((error) => {
    if (error.code === 'ENOENT') return { stdout: '', stderr: '' };
    throw error;
  });
  return (stdout || stderr).split('\n')[0] || undefined;
}

/**
 * A port of 127.0.0.1 on which nothing listens now, from below those that systems give to whoever asks
 * for any: one of these could be taken before the program that it is for listens there.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}
