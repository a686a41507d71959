import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  validateFileName,
  type ZipFile,
} from 'yauzl';

/** The zip of a dump, read in place: nothing of it is unpacked to a disk. */

export const SQL = 'dump.sql';
const MANIFEST = 'manifest.json';
const MOST_ENTRIES = 300_000;
const MOST_RATIO = 200;
/** A small file may be packed to anything. */
const RATIO_FROM = 1024 * 1024;
const MOST_OF_MANIFEST = 4 * 1024 * 1024;
/** Bytes of a name, of which all are kept: a zip has room for 65,535 in each. */
const MOST_OF_NAME = 255;
/** Bytes that are read at once for the directory of the zip. */
const WINDOW = 256 * 1024;

/** The bytes from `start` to `end`, both included. */
export type ReadBytes = (start: number, end: number) => Readable;

/** What is wrong with a zip. */
export type Fault = 'not_zip' | 'incomplete' | 'too_large' | 'unsafe';

export class DumpFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(`the dump cannot be used: ${fault}`, options);
    this.fault = fault;
  }
}

class StoredReader extends RandomAccessReader {
  readonly #open: ReadBytes;
  readonly #size: number;
  #window = { start: 0, bytes: Buffer.alloc(0) };
  /** Why the bytes themselves could not be read. */
  failure: unknown;

  constructor(open: ReadBytes, size: number) {
    super();
    this.#open = open;
    this.#size = size;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const bytes = this.#open(start, end - 1);
    bytes.once('error', (error) => {
      this.failure = error;
    });
    return bytes;
  }

  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#copy(into, offset, length, position).then(
      () => callback(null),
      (error) => callback(error),
    );
  }

  async #copy(into: Buffer, offset: number, length: number, position: number): Promise<void> {
    if (!(position >= 0 && position + length <= this.#size)) throw new Error('beyond its end');
    const { start, bytes } = this.#window;
    if (position < start || position + length > start + bytes.length) {
      const end = Math.min(this.#size, position + Math.max(length, WINDOW));
      const read = await buffer(this._readStreamForRange(position, end));
      this.#window = { start: position, bytes: read };
    }
    const at = position - this.#window.start;
    this.#window.bytes.copy(into, offset, at, at + length);
  }
}

/** A file in the zip. */
export interface DumpFile {
  name: string;
  size: number;
  open(): Promise<Readable>;
}

interface Dump {
  /** Every file, in the order of the zip. Throws DumpFault. */
  files(): AsyncGenerator<DumpFile>;
  /** What it means that a file could not be read: DumpFault, or what `open` failed with. */
  faultOf(error: unknown): unknown;
  close(): void;
}

/** `mostUnpacked`: bytes of all files together. Throws DumpFault, and what `open` fails with. */
export async function openDump(
  open: ReadBytes,
  { size, mostUnpacked }: { size: number; mostUnpacked: number },
): Promise<Dump> {
  const reader = new StoredReader(open, size);
  const asFault = (error: unknown): unknown =>
    reader.failure ??
    (error instanceof DumpFault ? error : new DumpFault('not_zip', { cause: error }));
  // Names are read here: what is wrong with one is another fault than what is wrong with the zip.
  const options = { decodeStrings: false, autoClose: false };
  const zip: ZipFile = await fromRandomAccessReaderPromise(reader, size, options).catch((error) => {
    throw asFault(error);
  });
  if (zip.entryCount > MOST_ENTRIES) throw new DumpFault('too_large');
  return {
    async *files() {
      const seen = new Set<string>();
      let unpacked = 0;
      try {
        for await (const entry of zip.eachEntry()) {
          const name = nameOf(entry);
          if (seen.has(name)) throw new DumpFault('unsafe');
          seen.add(name);
          unpacked += entry.uncompressedSize;
          if (unpacked > mostUnpacked || isPackedTooWell(entry)) throw new DumpFault('too_large');
          if (name.endsWith('/')) continue;
          yield {
            name,
            size: entry.uncompressedSize,
            open: () =>
              zip.openReadStreamPromise(entry).catch((error) => {
                throw asFault(error);
              }),
          };
        }
      } catch (error) {
        throw asFault(error);
      }
    },
    faultOf: asFault,
    close: () => zip.close(),
  };
}

const isPackedTooWell = ({ uncompressedSize, compressedSize }: Entry): boolean =>
  uncompressedSize > RATIO_FROM && uncompressedSize > compressedSize * MOST_RATIO;

const KIND = 0o170_000;
const PLAIN = [0, 0o100_000, 0o040_000];

/** Throws DumpFault for what is no plain file, or is named like something outside. */
function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag: flags, fileNameRaw, extraFields } = entry;
  const name = getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
  const kind = (entry.externalFileAttributes >>> 16) & KIND;
  if (
    validateFileName(name) ||
    name === '' ||
    Buffer.byteLength(name) > MOST_OF_NAME ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused.
    /[\u0000-\u001f\u007f]/.test(name) ||
    name.split('/').includes('.') ||
    entry.isEncrypted() ||
    !PLAIN.includes(kind) ||
    (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
  )
    throw new DumpFault('unsafe');
  return name;
}

/** What the manifest of a dump says. */
export interface DumpManifest {
  /** As `19.0` or `saas~18.2`. */
  erpVersion: string;
  enterprise: boolean;
  /** What all files take up unpacked. */
  unpacked: number;
}

/** Looks at every entry of a dump, and reads its manifest. Throws as `openDump`. */
export async function checkDump(
  open: ReadBytes,
  bounds: { size: number; mostUnpacked: number },
): Promise<DumpManifest> {
  const dump = await openDump(open, bounds);
  try {
    let [unpacked, hasSql] = [0, false];
    let manifest: Omit<DumpManifest, 'unpacked'> | undefined;
    for await (const file of dump.files()) {
      unpacked += file.size;
      if (file.name === SQL && file.size > 0) hasSql = true;
      if (file.name !== MANIFEST) continue;
      manifest = await readManifest(file).catch((error) => {
        throw dump.faultOf(error);
      });
    }
    if (!hasSql || manifest === undefined) throw new DumpFault('incomplete');
    return { ...manifest, unpacked };
  } finally {
    dump.close();
  }
}

/** Undefined for one that does not say what Odoo says. */
async function readManifest(file: DumpFile): Promise<Omit<DumpManifest, 'unpacked'> | undefined> {
  if (file.size > MOST_OF_MANIFEST) return undefined;
  const text = (await buffer(await file.open())).toString('utf8');
  const said = parsed(text);
  const { major_version: major, version, version_info: info, modules } = said ?? {};
  const erpVersion =
    typeof major === 'string'
      ? major
      : Array.isArray(info) && info.slice(0, 2).every(isPlain)
        ? info.slice(0, 2).join('.')
        : undefined;
  if (erpVersion === undefined) return undefined;
  const enterprise =
    (typeof version === 'string' && version.includes('+e')) ||
    (typeof modules === 'object' && modules !== null && 'web_enterprise' in modules);
  return { erpVersion, enterprise };
}

const isPlain = (said: unknown): boolean => typeof said === 'string' || typeof said === 'number';

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null
      ? (said as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
