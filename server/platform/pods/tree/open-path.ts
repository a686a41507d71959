import { constants } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { inside, type OpenFolder, outside } from './in-folder.ts';

const { O_DIRECTORY, O_NOFOLLOW } = constants;

interface Folder extends OpenFolder {
  /** Below the root. */
  name: string;
}

/**
 * The folders on the way to what is written, each opened in the one before it without following
 * links, as by inFolder. They stay open for the next path, of which an archive has most in the same
 * folder. `settled`: resolves once nothing uses them any more, before one is closed.
 */
export function openPath(root: string, disk: Disk, settled: () => Promise<void>) {
  const open: Folder[] = [];

  const openFolder = async (parent: Folder, name: string): Promise<Folder> => {
    const flags = O_DIRECTORY | O_NOFOLLOW;
    const where = inside(parent, name);
    const opened = async () => ({
      name,
      path: join(parent.path, name),
      fd: await disk.open(where, flags),
    });
    try {
      return await opened();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await disk.mkdir(where);
      return opened();
    }
  };

  const closeTo = async (length: number) => {
    while (open.length > length) await disk.close((open.pop() as Folder).fd);
  };

  return {
    /**
     * Where a file of this path is, by way of its folder, which is made where it is missing. Throws
     * `outside` where there is a link or a file on the way. Undefined where it was removed meanwhile.
     */
    async to(path: string): Promise<string | undefined> {
      const names = path.split('/');
      const name = names.pop() as string;
      let same = 0;
      while (same < names.length && open[same + 1]?.name === names[same]) same += 1;
      if (open.length !== names.length + 1 || same < names.length) {
        await settled();
        if (open.length === 0)
          open.push({ name: '', path: root, fd: await disk.open(root, O_DIRECTORY) });
        await closeTo(same + 1);
        try {
          for (const next of names.slice(same))
            open.push(await openFolder(open.at(-1) as Folder, next));
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === 'ENOENT') return undefined;
          if (code === 'ELOOP' || code === 'ENOTDIR') throw outside(path);
          throw error;
        }
      }
      return inside(open.at(-1) as Folder, name);
    },
    close: () => closeTo(0),
  };
}
