import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { diskStore } from './disk-store.ts';
import type { FileStore } from './file-store.ts';
import type { S3Place } from './s3-store.ts';

/**
 * Opens the store in `folder`, or in a bucket. Nothing is written or asked before its first use. With the
 * database whose files it has, a folder that lacks all of them is not taken for theirs.
 */
export async function openFileStore(
  folder: string,
  s3?: S3Place,
  db?: Pick<Database, 'one'>,
): Promise<FileStore> {
  if (s3 === undefined) return diskStore(folder, db && (() => hasFiles(db)));
  // Loaded only if it is used, because it takes 41 MB of memory.
  const { s3Store } = await import('./s3-store.ts');
  return s3Store(s3);
}

/** Bytes are stored before their row. */
const hasFiles = async (db: Pick<Database, 'one'>): Promise<boolean> =>
  (
    await db.one<{ some: boolean }>(sql`
      select exists (select from attachment) or exists (select from artifact)
          or exists (select from odoo_dump) as some`)
  ).some;
