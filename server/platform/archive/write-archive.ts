import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { type Pack, pack } from 'tar-stream';
import {
  type Checksum,
  HEADER,
  isName,
  LISTED_TOGETHER,
  MANIFEST,
  pieceOf,
  trailerOf,
} from './names.ts';

/** Bytes that wait in memory until the size of their piece is known. */
const PIECE = 4 * 1024 * 1024;
/** Most of what an archive is made of is small. */
const WRITTEN_AT_ONCE = 256 * 1024;

export interface Archive {
  /** Writes an entry of a known size. Throws if `bytes` has another. Returns its SHA-256. */
  file(name: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<string>;
  /** Writes a stream of any size as pieces; returns how many. */
  pieces(group: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Writes the manifest and ends the archive; returns what it is made of. */
  end(manifest: object): Promise<Checksum[]>;
  /** Bytes so far. */
  written(): number;
  /** Ends it where it is; the file is worth nothing then. */
  abandon(): void;
}

/** Begins an archive in a new file. `header` is what is known before anything is read. */
export async function beginArchive(file: FileHandle, header: object): Promise<Archive> {
  const tar = pack();
  const writing = store(tar, file);
  writing.done.catch((error) => tar.destroy(error));
  tar.on('error', () => {});
  const entries = listing();

  async function entry(name: string, size: number, bytes: AsyncIterable<Uint8Array>) {
    if (!isName(name)) throw new Error(`not a name of an archive: ${JSON.stringify(name)}`);
    const hash = createHash('sha256');
    let left = size;
    const sink = tar.entry({ name, size, mode: 0o600, mtime: new Date(0) });
    // Its failure is that of the whole archive.
    const ended = new Promise<void>((resolve, reject) => {
      let whole = false;
      sink.once('finish', () => {
        whole = true;
        resolve();
      });
      sink.once('error', reject);
      // Where the file takes no more, this comes before its reason.
      sink.once('close', () => {
        if (whole) return;
        writing.done.then(() => reject(new Error('the archive could not be written')), reject);
      });
    });
    ended.catch(() => {});
    for await (const chunk of bytes) {
      hash.update(chunk);
      left -= chunk.length;
      if (left < 0) break;
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), ended]);
    }
    if (left !== 0) throw new Error(`${name} has not the size that it should have`);
    sink.end(undefined);
    await Promise.race([ended, writing.done]);
    return hash.digest('hex');
  }

  async function listed(name: string, size: number, bytes: AsyncIterable<Uint8Array>) {
    const sha256 = await entry(name, size, bytes);
    if (entries.add({ name, size, sha256 })) await list();
    return sha256;
  }

  async function list(): Promise<void> {
    const { name, text } = entries.take();
    entries.lists.push({ name, ...(await whole(name, text)) });
  }

  async function whole(name: string, text: string) {
    const bytes = Buffer.from(text);
    return { size: bytes.length, sha256: await entry(name, bytes.length, of(bytes)) };
  }

  const archive: Archive = {
    file: listed,
    pieces: async (group, bytes) => {
      let count = 0;
      for await (const piece of inPieces(bytes))
        await listed(pieceOf(group, ++count), piece.length, of(piece));
      return count;
    },
    end: async (manifest) => {
      if (!entries.isEmpty()) await list();
      const { lists } = entries;
      await whole(MANIFEST, JSON.stringify({ ...manifest, checksums: lists }, undefined, 1));
      tar.finalize();
      await writing.done;
      return lists;
    },
    written: () => writing.bytes(),
    abandon: () => tar.destroy(new Error('the archive was given up')),
  };
  const bytes = Buffer.from(JSON.stringify(header));
  await listed(HEADER, bytes.length, of(bytes));
  return archive;
}

/** Writes what comes out of the tar file, and after its end the checksum of all of it. */
function store(tar: Pack, file: FileHandle) {
  const hash = createHash('sha256');
  let bytes = 0;
  const write = async () => {
    for await (const some of inPieces(tar as AsyncIterable<Buffer>, WRITTEN_AT_ONCE)) {
      hash.update(some);
      bytes += some.length;
      await file.writeFile(some);
    }
    await file.writeFile(trailerOf(hash.digest('hex')));
  };
  return { done: write(), bytes: () => bytes };
}

/** The checksums of the entries since the last list. */
function listing() {
  let entries: Checksum[] = [];
  const lists: Checksum[] = [];
  return {
    lists,
    isEmpty: () => entries.length === 0,
    add: (entry: Checksum) => entries.push(entry) === LISTED_TOGETHER,
    take: () => {
      const text = JSON.stringify(entries);
      entries = [];
      return { name: pieceOf('checksums', lists.length + 1), text };
    },
  };
}

async function* of(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* inPieces(bytes: AsyncIterable<Uint8Array>, most = PIECE): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < most) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}
