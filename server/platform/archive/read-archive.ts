import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import {
  type Checksum,
  HEADER,
  isName,
  LISTED_TOGETHER,
  MANIFEST,
  TRAILER_BYTES,
  trailerOf,
} from './names.ts';

/** A file that is no whole archive; the message says why, as a sentence. */
export class BadArchive extends Error {}

/** What is done with an entry; the bytes are read to their end. */
export type OnEntry = (name: string, bytes: AsyncIterable<Buffer>) => Promise<void>;

/** The header, before anything else is read. May throw. */
type OnHeader = (header: unknown) => void;

type Entry = Extract extends AsyncIterable<infer One> ? One : never;

const MOST_JSON = 64 * 1024 * 1024;

/**
 * Reads an archive from its beginning to its end, and compares every bit with its checksums. Returns
 * the manifest. What an entry holds is proven only when the whole was read: so read it once before
 * anything is done with it. Throws BadArchive, and what `onEntry` throws.
 */
export async function readArchive(
  file: FileHandle,
  { onHeader, onEntry = drain }: { onHeader: OnHeader; onEntry?: OnEntry },
): Promise<unknown> {
  const { size } = await file.stat();
  if (size <= TRAILER_BYTES) throw new BadArchive(FOREIGN);
  const end = size - TRAILER_BYTES;
  const whole = createHash('sha256');
  const tar = extract();
  const bytes = file.createReadStream({ start: 0, end: end - 1, autoClose: false });
  bytes.on('data', (chunk) => whole.update(chunk));
  const reading = pipeline(bytes, new PassThrough(), tar);
  reading.catch(() => {});
  const checks = openChecks(onHeader);
  try {
    for await (const entry of tar) await readEntry(entry, checks, onEntry);
    await reading;
  } catch (error) {
    tar.destroy();
    await reading.catch(() => {});
    if (checks.begun() && error instanceof Error && isOfTar(error)) throw new BadArchive(DAMAGED);
    throw isOfTar(error) ? new BadArchive(FOREIGN) : error;
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await file.read(trailer, 0, TRAILER_BYTES, end);
  if (!trailer.equals(trailerOf(whole.digest('hex')))) throw new BadArchive(DAMAGED);
  return checks.manifest();
}

async function readEntry(entry: Entry, checks: Checks, onEntry: OnEntry): Promise<void> {
  const { name, type, size = 0, linkname } = entry.header;
  if (!checks.begun() && name !== HEADER) throw new BadArchive(FOREIGN);
  if (type !== 'file' || linkname || !isName(name))
    throw new BadArchive(`${DAMAGED} (It has the entry ${JSON.stringify(name.slice(0, 200))}.)`);
  const hash = createHash('sha256');
  if (name.startsWith('files/') || groupHasBytes(name)) await onEntry(name, hashed(entry, hash));
  else checks.read(name, await text(hashed(entry, hash), size));
  checks.add(name, size, hash.digest('hex'));
}

const groupHasBytes = (name: string): boolean => /^(database|events|refs|objects)/.test(name);

type Checks = ReturnType<typeof openChecks>;

function openChecks(onHeader: OnHeader) {
  let entries: Checksum[] = [];
  const lists: Checksum[] = [];
  let begun = false;
  let found: unknown;
  return {
    begun: () => begun,
    manifest: () => {
      if (found === undefined) throw new BadArchive(DAMAGED);
      return found;
    },
    /** An entry that is about others. */
    read: (name: string, content: unknown) => {
      if (found !== undefined) throw new BadArchive(DAMAGED);
      if (name === HEADER) {
        if (begun) throw new BadArchive(DAMAGED);
        onHeader(content);
        begun = true;
      } else if (name === MANIFEST) {
        const { checksums } = (content ?? {}) as { checksums?: unknown };
        if (entries.length > 0 || !same(checksums, lists)) throw new BadArchive(DAMAGED);
        found = content;
      } else {
        if (!same(content, entries)) throw new BadArchive(DAMAGED);
        entries = [];
      }
    },
    add: (name: string, size: number, sha256: string) => {
      if (name === MANIFEST) return;
      if (found !== undefined) throw new BadArchive(DAMAGED);
      if (name.startsWith('checksums/')) lists.push({ name, size, sha256 });
      else if (entries.push({ name, size, sha256 }) > LISTED_TOGETHER)
        throw new BadArchive(DAMAGED);
    },
  };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

async function* hashed(entry: Entry, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of entry as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}

async function text(bytes: AsyncIterable<Buffer>, size: number): Promise<unknown> {
  if (size > MOST_JSON) throw new BadArchive(DAMAGED);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new BadArchive(DAMAGED);
  }
}

async function drain(_name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

/** What `tar-stream` says of bytes that are no tar file, or not all of one. */
const isOfTar = (error: unknown): boolean =>
  error instanceof Error &&
  /Invalid tar header|Unexpected end of data|size is not|Premature close|Writable stream closed/.test(
    error.message,
  );

const FOREIGN = 'This file is no backup of Guildhall.';
const DAMAGED =
  'This backup is damaged or incomplete: it is not what `guildhall backup` wrote. Take another copy of ' +
  'it, or an older backup.';
