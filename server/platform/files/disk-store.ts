import { constants } from 'node:fs';
import { mkdir, open, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolderId, readFolderId } from '../folder-id.ts';
import {
  checkKey,
  FileMissing,
  type FileStore,
  FileStoreUnavailable,
  isKey,
  type StoredObject,
} from './file-store.ts';
import { pieces } from './pieces.ts';
import { receive } from './receive.ts';

const PIECE = 64 * 1024;
const PAGE = 1_000;

/** Only the server's own user reads the files. */
const FOLDER = 0o700;
const FILE = 0o600;

/**
 * Files in a folder of this machine, in one folder a project: `root/<project>/<file>`. The folder
 * is made with the first file, so a server that stores none needs no place to write. Where its volume
 * goes away while it is used, nothing is stored in what is there instead, and nothing is missing; nor
 * where it is away from the start, if `hasFiles` says that the database has files already.
 */
export function diskStore(
  root: string,
  hasFiles: () => Promise<boolean> = async () => false,
): FileStore {
  const pathOf = (key: string) => join(root, checkKey(key));
  // It has none before its first file.
  let known = readFolderId(root).catch(() => undefined);

  async function requireSame(): Promise<void> {
    const [before, id] = [await known, await readFolderId(root)];
    if (before === undefined && id === undefined && (await isWithoutFiles(root))) {
      if (await hasFiles())
        throw new Error(`${root} has none of the files of this database: see to its volume`);
    } else if (before === undefined) known = Promise.resolve(id);
    else if (id !== before)
      throw new Error(`${root} is not the folder with the files any more: see to its volume`);
  }

  return {
    place: root,
    put: async (key, bytes, maxBytes) => {
      const path = pathOf(key);
      const file = await usable(async () => {
        await requireSame();
        await makeFolder(dirname(path));
        if ((await known) === undefined) known = makeFolderId(root);
        // Never over another file, and through no link.
        const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
        return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE);
      });
      try {
        const stored = await receive(bytes, file, maxBytes);
        await usable(() => file.sync());
        await usable(() => syncFolder(dirname(path)));
        return stored;
      } catch (error) {
        await unlink(path).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
    },
    get: (key, start, end) => {
      const path = pathOf(key);
      return pieces(start, end, PIECE, (from, to) =>
        readPiece(path, from, to - from + 1).catch(async (error) => {
          if (error instanceof FileMissing) await usable(requireSame);
          throw error;
        }),
      );
    },
    delete: async (keys) => {
      await usable(requireSame);
      const folders = new Set<string>();
      for (const path of keys.map(pathOf)) {
        await usable(() => unlink(path).catch(unlessMissing));
        folders.add(dirname(path));
      }
      // Fails where other files are left, which is as it should be.
      for (const folder of folders) await rmdir(folder).catch(() => {});
    },
    async *list() {
      await usable(requireSame);
      yield* listFiles(root);
    },
    close: async () => {},
  };
}

/** A release before has left files without an id beside them. */
const isWithoutFiles = async (root: string): Promise<boolean> =>
  !(await namesIn(root)).some((name) => PROJECT.test(name));

const PROJECT = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Makes a folder and those above it, so that they survive the loss of power too. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made));
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; its file system keeps names without being asked.
  if (process.platform === 'win32') return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readPiece(path: string, start: number, length: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY).catch((error) => {
    throw isMissing(error) ? new FileMissing(path) : new FileStoreUnavailable(error);
  });
  try {
    const piece = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await file.read(piece, filled, length - filled, start + filled);
      if (bytesRead === 0) throw new FileMissing(`${path} is shorter than its row says`);
      filled += bytesRead;
    }
    return piece;
  } finally {
    await file.close();
  }
}

async function* listFiles(root: string): AsyncGenerator<StoredObject[]> {
  let page: StoredObject[] = [];
  for (const project of await namesIn(root)) {
    for (const name of await namesIn(join(root, project))) {
      const key = `${project}/${name}`;
      if (!isKey(key)) continue;
      const storedAt = await usable(() => stat(join(root, key)).catch(unlessMissing));
      if (storedAt === undefined) continue;
      page.push({ key, storedAt: storedAt.mtime });
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
  }
  yield page;
}

/** The names in a folder, sorted by their bytes; none if there is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await usable(() =>
    readdir(folder).catch((error) => (isMissing(error) ? [] : Promise.reject(error))),
  );
  return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** What the operating system refuses, as an error of the store. */
async function usable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new FileStoreUnavailable(error);
  }
}
