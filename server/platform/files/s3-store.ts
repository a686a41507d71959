import { type FileHandle, mkdtemp, open, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  checkKey,
  FileMissing,
  type FileStore,
  FileStoreUnavailable,
  isKey,
  type StoredBytes,
  type StoredObject,
} from './file-store.ts';
import { pieces } from './pieces.ts';
import { receive } from './receive.ts';

/** A bucket of an S3 store; `prefix` is empty or ends with a slash. */
export interface S3Place {
  bucket: string;
  prefix: string;
  /** Of a store other than Amazon's; its buckets are then named in paths, not in host names. */
  endpoint: string | undefined;
  region: string;
}

/** One request each, so that a reader who pauses holds no connection to the store. */
const PIECE = 256 * 1024;
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const DELETED_AT_ONCE = 1_000;

/**
 * Objects in a bucket of an S3 store. Credentials are found as in every program that uses Amazon's
 * SDK: environment, files, or the role of the machine or the pod.
 */
export function s3Store({ bucket, prefix, endpoint, region }: S3Place): FileStore {
  const client = new S3Client({
    region,
    maxAttempts: ATTEMPTS,
    // It would write to the console what is thrown anyway.
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    requestHandler: { requestTimeout: TIMEOUT_MS, connectionTimeout: 5_000 },
    // Other stores do not all know the newer checksums; `put` sends one that they know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });
  const nameOf = (key: string) => prefix + checkKey(key);

  // The store compares the bytes that arrive with the hash, and refuses others.
  async function send(key: string, file: FileHandle, { size, sha256 }: StoredBytes) {
    const command = () =>
      new PutObjectCommand({
        Bucket: bucket,
        Key: nameOf(key),
        Body: file.createReadStream({ start: 0, autoClose: false }),
        ContentLength: size,
        ContentType: 'application/octet-stream',
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      });
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.send(command());
      } catch (error) {
        // The SDK does not send a stream again, because it cannot begin it again.
        if (attempt === ATTEMPTS || !isTemporary(error)) throw new FileStoreUnavailable(error);
      }
    }
  }

  async function readPiece(key: string, start: number, end: number): Promise<Uint8Array> {
    const { Body } = await usable(() =>
      client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: nameOf(key),
          Range: `bytes=${start}-${end}`,
        }),
      ),
    );
    const piece = await usable(async () => Body?.transformToByteArray());
    if (piece?.length !== end - start + 1)
      throw new FileMissing(`${key} is shorter than its row says`);
    return piece;
  }

  async function* list(): AsyncGenerator<StoredObject[]> {
    for (let next: string | undefined; ; ) {
      const { Contents = [], NextContinuationToken } = await usable(() =>
        client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: next }),
        ),
      );
      yield Contents.flatMap(({ Key = '', LastModified }) => {
        const key = Key.slice(prefix.length);
        return isKey(key) && LastModified !== undefined ? [{ key, storedAt: LastModified }] : [];
      });
      if (NextContinuationToken === undefined) return;
      next = NextContinuationToken;
    }
  }

  return {
    place: `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`,
    put: (key, bytes, maxBytes) =>
      withTemporaryFile(async (file) => {
        const stored = await receive(bytes, file, maxBytes);
        await send(key, file, stored);
        return stored;
      }),
    get: (key, start, end) =>
      pieces(start, end, PIECE, (from, to) => readPiece(checkKey(key), from, to)),
    delete: async (keys) => {
      for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
        const Objects = keys.slice(at, at + DELETED_AT_ONCE).map((key) => ({ Key: nameOf(key) }));
        const { Errors = [] } = await usable(() =>
          client.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
          ),
        );
        const [refused] = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
        if (refused !== undefined) throw new FileStoreUnavailable(refused.Message);
      }
    },
    list,
    close: async () => client.destroy(),
  };
}

/**
 * Runs `work` with a file that has no name, so that nothing of it is left when this process dies.
 * Bytes wait there until all have arrived: only then are their size and hash known, and a slow
 * sender keeps no connection to the store.
 */
async function withTemporaryFile<Result>(
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await usable(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-upload-'));
    try {
      const opened = await open(join(folder, 'bytes'), 'wx+', 0o600);
      await unlink(join(folder, 'bytes'));
      return opened;
    } finally {
      await rmdir(folder).catch(() => {});
    }
  });
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** Worth trying again: no answer, or one that says so. */
function isTemporary(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 429 || status >= 500;
}

/** What the store or the network refuses, as an error of the store. */
async function usable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name === 'NoSuchKey') throw new FileMissing((error as Error).message);
    throw new FileStoreUnavailable(error);
  }
}
