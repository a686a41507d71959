import { PodError } from '../pod.ts';

/** The part of the tar format (POSIX.1-2001, "pax") that a work tree needs. */

export type TreeEntry =
  | { type: 'folder'; path: string }
  | { type: 'file'; path: string; size: number; executable: boolean }
  | { type: 'link'; path: string; target: string };

/** `other`: a device, a pipe, a hard link. */
export type ReadEntry = TreeEntry | { type: 'other'; path: string };

const BLOCK = 512;
const NAME = 100;
/** A longer extended header is no description of one file. */
const MOST_EXTENDED = 65_536;
/** Other programs fill the last record of an archive, which has 10,240 bytes. */
const MOST_AFTER_END = 65_536;
const TYPES = { file: '0', link: '2', folder: '5', extended: 'x' } as const;

const EMPTY = Buffer.alloc(BLOCK);

/** Ends an archive. */
export const END = Buffer.alloc(2 * BLOCK);

/** What follows content of this size, up to the next block. */
export const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The blocks that stand before the content of an entry. */
export function headerOf(entry: TreeEntry): Buffer {
  const target = entry.type === 'link' ? entry.target : '';
  const size = entry.type === 'file' ? entry.size : 0;
  const executable = entry.type === 'folder' || (entry.type === 'file' && entry.executable);
  const long = { path: entry.path, linkpath: target };
  const records = Object.entries(long).filter(([, text]) => Buffer.byteLength(text) > NAME);
  const own = block(TYPES[entry.type], entry.path, target, size, executable);
  if (records.length === 0) return own;
  const content = Buffer.concat(records.map(([name, text]) => record(name, text)));
  const extended = block(TYPES.extended, 'pax', '', content.length, false);
  return Buffer.concat([extended, content, paddingOf(content.length), own]);
}

function block(type: string, path: string, target: string, size: number, executable: boolean) {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  Buffer.from(path).copy(header, 0, 0, NAME);
  octal(executable ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write(type, 156, 'latin1');
  Buffer.from(target).copy(header, 157, 0, NAME);
  header.write('ustar\0' + '00', 257, 'latin1');
  octal(checksumOf(header), 148, 7);
  header[155] = 0x20;
  return header;
}

/** "length name=value\n", where the length counts itself. */
function record(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${name}=${value}\n`);
}

/** The sum of all bytes, with the field of the sum itself as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += header[at] as number;
  return sum;
}

/**
 * Reads an archive entry by entry; the content of one must be read, or is skipped, before the next.
 * Rejects with PodError where it is damaged, or ends before its end.
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ entry: ReadEntry; size: number; content: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    yield* entriesOf(bytesOf(chunks));
  } finally {
    // Whoever sends the archive may hold files open until then.
    await chunks.return?.();
  }
}

async function* entriesOf(bytes: ReturnType<typeof bytesOf>): ReturnType<typeof readArchive> {
  let long: Record<string, string> = {};
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.equals(EMPTY)) return bytes.drain();
    if (number(header, 148, 8) !== checksumOf(header)) throw damaged();
    const size = number(header, 124, 12);
    const type = header.toString('latin1', 156, 157);
    if (type === TYPES.extended) {
      if (size > MOST_EXTENDED || Object.keys(long).length > 0) throw damaged();
      long = recordsOf(await bytes.take(size));
      await bytes.take(paddingOf(size).length);
      continue;
    }
    const path = (long.path ?? text(header, 0, NAME)).replace(/\/+$/, '');
    const target = long.linkpath ?? text(header, 157, NAME);
    const executable = (number(header, 100, 8) & 0o100) !== 0;
    long = {};
    const left = { bytes: size };
    const entry = entryOf(type, path, target, size, executable);
    yield { entry, size, content: bytes.some(left) };
    for await (const _ of bytes.some(left));
    await bytes.take(paddingOf(size).length);
  }
}

function entryOf(
  type: string,
  path: string,
  target: string,
  size: number,
  executable: boolean,
): ReadEntry {
  if (type === TYPES.file || type === '\0') return { type: 'file', path, size, executable };
  if (type === TYPES.folder) return { type: 'folder', path };
  if (type === TYPES.link) return { type: 'link', path, target };
  return { type: 'other', path };
}

function recordsOf(content: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', at, at + 8), 10);
    if (!(length > 0) || at + length > content.length) throw damaged();
    const [, name = '', value] =
      /^\d+ ([^=]+)=(.*)\n$/s.exec(content.toString('utf8', at, at + length)) ?? [];
    if (value === undefined) throw damaged();
    records[name] = value;
    at += length;
  }
  // An extended header without records would be no progress.
  if (Object.keys(records).length === 0) throw damaged();
  return records;
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function number(header: Buffer, at: number, length: number): number {
  const digits = text(header, at, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw damaged();
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Takes bytes from a stream by number rather than by chunk. */
function bytesOf(chunks: AsyncIterator<Uint8Array>) {
  let rest: Buffer = Buffer.alloc(0);

  /** Between 1 and `most` bytes. */
  async function next(most: number): Promise<Buffer> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next();
      if (done === true) throw new PodError('failed', 'the archive of the work tree is incomplete');
      rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = rest.subarray(0, most);
    rest = rest.subarray(part.length);
    return part;
  }

  return {
    async take(length: number): Promise<Buffer> {
      if (rest.length >= length) {
        const whole = rest.subarray(0, length);
        rest = rest.subarray(length);
        return whole;
      }
      const parts: Buffer[] = [];
      for (let left = length; left > 0; left -= parts.at(-1)?.length ?? 0)
        parts.push(await next(left));
      return Buffer.concat(parts);
    },
    async *some(left: { bytes: number }): AsyncGenerator<Buffer> {
      while (left.bytes > 0) {
        const part = await next(left.bytes);
        left.bytes -= part.length;
        yield part;
      }
    },
    /** Whoever sends the archive learns by the end of its reader that something was wrong. */
    async drain(): Promise<void> {
      for (let most = MOST_AFTER_END - rest.length; most > 0; ) {
        const { value, done } = await chunks.next();
        if (done === true) return;
        most -= value.length;
      }
      throw damaged();
    },
  };
}

const damaged = () => new PodError('failed', 'the archive of the work tree is damaged');
