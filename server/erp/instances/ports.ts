import { randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * Ports of this machine for programs, each reserved by a file that names its instance, so that no
 * two instances of one folder get the same. They are below those that the system gives to
 * connections. Another program may still take one at any time: its instance then does not start.
 */

const FIRST = 20_000;
const LAST = 31_999;
const TRIES = 200;

/** `directory`: with a folder for each instance, named after its id. */
export function portsIn(directory: string) {
  const folder = join(directory, 'ports');

  const holder = (port: string) => readFile(join(folder, port), 'utf8').catch(() => undefined);

  const all = async (): Promise<{ port: string; id: string }[]> => {
    const names = await readdir(folder).catch(() => []);
    const read = await Promise.all(names.map(async (port) => ({ port, id: await holder(port) })));
    return read.flatMap(({ port, id }) => (id === undefined ? [] : [{ port, id }]));
  };

  /** One whose instance is gone was left by a process that was killed. */
  const free = async (port: string, id: string): Promise<void> => {
    const there = id !== '' && (await isThere(join(directory, id)));
    if (!there) await rm(join(folder, port), { force: true });
  };

  return {
    /** The port of an instance, if it has one. */
    async of(id: string): Promise<number | undefined> {
      const found = (await all()).find((one) => one.id === id);
      return found && Number(found.port);
    },

    /** A port that is free now, and that no other instance has; the one before if it is free. */
    async reserve(id: string): Promise<number> {
      await mkdir(folder, { recursive: true });
      const before = await this.of(id);
      if (before !== undefined && (await canListen(before))) return before;
      await this.release(id);
      for (let i = 0; i < TRIES; i += 1) {
        const port = randomInt(FIRST, LAST + 1);
        const file = join(folder, String(port));
        const mine = await writeFile(file, id, { flag: 'wx' }).then(
          () => true,
          () => false,
        );
        if (!mine) {
          const other = await holder(String(port));
          // A file without a name is being written.
          if (other) await free(String(port), other);
          continue;
        }
        if (await canListen(port)) return port;
        await rm(file, { force: true });
      }
      throw new Error('no port of this machine is free for an ERP instance');
    },

    async release(id: string): Promise<void> {
      for (const { port } of (await all()).filter((one) => one.id === id))
        await rm(join(folder, port), { force: true });
    },
  };
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
