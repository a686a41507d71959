import type { Readable } from 'node:stream';

/**
 * Where the bytes of files are: a folder of this machine, or a bucket of an S3 store. It knows
 * nothing about projects and people: rows of the database say whose the bytes are and what they are
 * called, and a row is written only after `put` has resolved.
 */
export interface FileStore {
  /** Where it is, for logs; without credentials. */
  readonly place: string;
  /**
   * Stores bytes under a key that was never used before. When it resolves, they survive the loss of
   * power. When it rejects, nothing reads what may be left of them, and the hourly search removes
   * it. Errors: FileTooLarge beyond `maxBytes`, FileStoreUnavailable, and whatever `bytes` throws.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>;
  /**
   * The bytes from `start` to `end`, both included. A reader that pauses holds one piece of them in
   * memory, and no file descriptor and no connection. The stream fails with FileMissing if there
   * are none, and with FileStoreUnavailable.
   */
  get(key: string, start: number, end: number): Readable;
  /** Removes bytes; a key without any is no error. Errors: FileStoreUnavailable. */
  delete(keys: readonly string[]): Promise<void>;
  /** Everything that is stored, in the order of the keys' bytes. Errors: FileStoreUnavailable. */
  list(): AsyncIterable<StoredObject[]>;
  close(): Promise<void>;
}

/** What `put` has seen of the bytes that it stored. */
export interface StoredBytes {
  size: number;
  /** In lower-case hexadecimal digits. */
  sha256: string;
  /** The first bytes, at most `HEAD_BYTES`: they tell the media type. */
  head: Buffer;
}

export interface StoredObject {
  key: string;
  storedAt: Date;
}

/** As many bytes as `file-type` needs to recognise the formats that it knows. */
export const HEAD_BYTES = 4_100;

/** Project and file, two UUIDs: nothing that a caller has chosen is part of a key. */
const KEY =
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isKey = (key: string): boolean => KEY.test(key);

/** Throws for what is no key, because it would be used as a path. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new Error(`not a key of the file store: ${JSON.stringify(key)}`);
  return key;
}

/** More bytes came than `maxBytes`. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** No bytes are stored under a key. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing';
}

/** The store cannot be used now: no right to write, no space, no answer. `cause` says which. */
export class FileStoreUnavailable extends Error {
  override readonly name = 'FileStoreUnavailable';

  constructor(cause: unknown) {
    super(`the file store cannot be used: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
