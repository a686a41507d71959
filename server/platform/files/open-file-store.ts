import { diskStore } from './disk-store.ts';
import type { FileStore } from './file-store.ts';
import type { S3Place } from './s3-store.ts';

/**
 * Opens the store in `folder`, or in a bucket. Nothing is written or asked before its first use.
 */
export async function openFileStore(folder: string, s3?: S3Place): Promise<FileStore> {
  if (s3 === undefined) return diskStore(folder);
  // Loaded only if it is used, because it takes 41 MB of memory.
  const { s3Store } = await import('./s3-store.ts');
  return s3Store(s3);
}
