import { execFile } from 'node:child_process';
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

/** A port of 127.0.0.1 on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
