import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { FileStoreUnavailable, FileTooLarge, HEAD_BYTES, type StoredBytes } from './file-store.ts';

/**
 * Writes bytes to an open file as they arrive, and hashes them on the way. No more than one chunk
 * is in memory. Errors: FileTooLarge, FileStoreUnavailable, and whatever `bytes` throws.
 */
export async function receive(
  bytes: AsyncIterable<Uint8Array>,
  file: FileHandle,
  maxBytes: number,
): Promise<StoredBytes> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    if (size + chunk.length > maxBytes) throw new FileTooLarge(`more than ${maxBytes} bytes`);
    // A copy: the chunk may be a view of a large buffer, which would stay in memory with it.
    if (size < HEAD_BYTES) head.push(Uint8Array.from(chunk.subarray(0, HEAD_BYTES - size)));
    size += chunk.length;
    hash.update(chunk);
    await write(file, chunk);
  }
  return { size, sha256: hash.digest('hex'), head: Buffer.concat(head) };
}

async function write(file: FileHandle, chunk: Uint8Array): Promise<void> {
  try {
    for (let written = 0; written < chunk.length; )
      written += (await file.write(chunk, written)).bytesWritten;
  } catch (error) {
    throw new FileStoreUnavailable(error);
  }
}
