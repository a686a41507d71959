import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/**
 * What setups have left in pods, as archives that only pods write and read: here they are bytes. It
 * is a cache of this machine. The name of a file says what it is: its key, the commit that it was
 * made from, the hash and the number of its bytes.
 */
export interface SetupResults {
  /** One that is whole; the file of another one is removed. */
  find(projectId: string, key: string): Promise<KeptResult | undefined>;
  /**
   * Keeps what `archive` yields, if `finish` resolves with true once it has ended. Rejects when
   * that is too much, or cannot be written; nothing is kept then.
   */
  keep(
    of: { projectId: string; key: string; commit: string },
    archive: Readable,
    finish: () => Promise<boolean>,
  ): Promise<void>;
  /** Removes those of projects that are gone, and what was left unfinished. */
  reap(db: Pick<Database, 'many'>): Promise<void>;
}

interface KeptResult {
  commit: string;
  /** When it was made. */
  at: Date;
  /** The archive. To be read once, or given back by destroying it. */
  archive: Readable;
  /** Removes the file: it could not be used. */
  discard(): Promise<void>;
}

interface Bounds {
  /** Bytes on disk of all results of a project. */
  bytes: number;
}

/** Results of one project. */
const MOST_RESULTS = 10;
/** Bytes of an archive before it is compressed. */
const MOST_UNPACKED = 8 * 1024 ** 3;
/** Bytes that must be free on the disk before something is kept. */
const LEAST_FREE = 1024 ** 3;
const UNFINISHED_MS = 3_600_000;
const RESULT = /^([0-9a-f]{64})\.([0-9a-f]{40})\.([0-9a-f]{64})\.(\d{1,15})$/;
const PROJECT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function setupResults(folder: string, { bytes: most }: Bounds): SetupResults {
  const folderOf = (projectId: string) => join(folder, projectId);

  return {
    async find(projectId, key) {
      const found = (await resultsIn(folderOf(projectId)))
        .filter((result) => result.key === key)
        .sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
      for (const result of found) {
        const kept = await opened(result);
        if (kept !== undefined) return kept;
        await rm(result.path, { force: true });
      }
      return undefined;
    },

    async keep({ projectId, key, commit }, archive, finish) {
      await mkdir(folderOf(projectId), { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < LEAST_FREE)
        throw new Error('the disk of the server has too little room');
      const part = join(folderOf(projectId), `${randomUUID()}.part`);
      try {
        const hash = createHash('sha256');
        let bytes = 0;
        const count = counted(most, (chunk) => {
          hash.update(chunk);
          bytes += chunk.length;
        });
        const file = createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true });
        await pipeline(archive, counted(MOST_UNPACKED), createZstdCompress(), count, file);
        if (!(await finish())) throw new Error('the pod could not pack it');
        const name = `${key}.${commit}.${hash.digest('hex')}.${bytes}`;
        await rename(part, join(folderOf(projectId), name));
      } finally {
        await rm(part, { force: true });
      }
      await evict(folderOf(projectId), most);
    },

    async reap(db) {
      const projects = (await namesIn(folder)).filter((name) => PROJECT.test(name));
      const there = await db.many<{ id: string }>(sql`
        select id from project where id = any(${projects}::uuid[])`);
      const known = new Set(there.map(({ id }) => id));
      for (const project of projects) {
        if (!known.has(project)) await rm(folderOf(project), { recursive: true, force: true });
        else await reapUnfinished(folderOf(project));
      }
    },
  };
}

interface Result {
  path: string;
  key: string;
  commit: string;
  sha256: string;
  bytes: number;
  size: number;
  madeAt: Date;
  usedAt: Date;
}

async function resultsIn(folder: string): Promise<Result[]> {
  const all = (await namesIn(folder)).map(async (name): Promise<Result[]> => {
    const [, key = '', commit = '', sha256 = '', bytes = ''] = RESULT.exec(name) ?? [];
    const path = join(folder, name);
    // Another process may remove it at any time.
    const stats = key === '' ? undefined : await stat(path).catch(() => undefined);
    if (stats === undefined) return [];
    const { size, mtime: madeAt, atime: usedAt } = stats;
    return [{ path, key, commit, sha256, bytes: Number(bytes), size, madeAt, usedAt }];
  });
  return (await Promise.all(all)).flat();
}

/** All of it is read before anything is used: a cut or changed file is none. */
async function opened(result: Result): Promise<KeptResult | undefined> {
  const { path, commit, sha256, bytes, size, madeAt: at } = result;
  const file = size === bytes ? await open(path).catch(() => undefined) : undefined;
  if (file === undefined) return undefined;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { fd: file, autoClose: false, start: 0 }), hash);
    if (hash.digest('hex') !== sha256) throw new Error('it was changed');
    await utimes(path, new Date(), at);
  } catch {
    await file.close();
    return undefined;
  }
  const archive = createReadStream(path, { fd: file, start: 0 }).compose(createZstdDecompress());
  archive.on('error', () => undefined);
  return { commit, at, archive, discard: () => rm(path, { force: true }) };
}

/** The one that was used longest ago goes first, and of one key all but the newest. */
async function evict(folder: string, most: number): Promise<void> {
  const newest = (await resultsIn(folder)).sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
  const first = newest.filter((one, i) => newest.findIndex(({ key }) => key === one.key) === i);
  const used = first.sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime());
  const kept = new Set<Result>();
  let room = most;
  for (const one of used.slice(0, MOST_RESULTS)) {
    room -= one.size;
    if (room >= 0) kept.add(one);
  }
  for (const one of newest) if (!kept.has(one)) await rm(one.path, { force: true });
}

/** Passes bytes on, and fails once there are more than `most`. */
function counted(most: number, each: (chunk: Buffer) => void = () => {}): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      each(chunk);
      done(bytes > most ? new Error('it is larger than what is kept of a project') : null, chunk);
    },
  });
}

async function reapUnfinished(folder: string): Promise<void> {
  for (const name of (await namesIn(folder)).filter((one) => one.endsWith('.part'))) {
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > UNFINISHED_MS)
      await rm(join(folder, name), { force: true });
  }
}

/** None where there is no folder. */
const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
