import type { Logger } from 'pino';
import { noBackup } from '../../db/backup-lock.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { FileStore, StoredObject } from './file-store.ts';
import { UNUSED_FOR } from './limits.ts';

/** Bytes without a row are removed when they are older than this, in milliseconds. */
const ORPHANED_AFTER = 24 * 3_600_000;
const LOGGED = 20;

/** What was found and removed: numbers of files. */
interface Swept {
  /** Attachments that no task has taken. */
  unused: number;
  /** Bytes that never got a row: a process died, or a database refused. */
  orphaned: number;
  /** Rows whose bytes are gone. */
  missing: string[];
}

/**
 * Makes the store and the rows agree: bytes that have been without a row for a day are removed; those of
 * deleted rows are sooner (remove-deleted.ts). Rows without bytes are reported; nothing can be done for them.
 * Any number of processes may do it at once. While a backup runs, no bytes are removed. `now` is the
 * time in milliseconds.
 */
export async function reapFiles(
  db: Database,
  files: FileStore,
  log: Logger,
  now = Date.now(),
): Promise<Swept> {
  const unused = await deleteUnused(db);
  let [orphaned, last] = [0, ''];
  const candidates: string[] = [];
  for await (const page of files.list()) {
    orphaned += await removeOrphans(db, files, page, now);
    candidates.push(...(await absent(db, last, page.at(-1)?.key, page)));
    last = page.at(-1)?.key ?? last;
  }
  candidates.push(...(await absent(db, last, undefined, [])));
  const missing = await stillThere(db, candidates);
  const swept = { unused, orphaned, missing };
  if (missing.length > 0)
    log.error({ found: missing.length, keys: missing.slice(0, LOGGED) }, 'files without bytes');
  if (unused + orphaned > 0) log.info({ unused, orphaned }, 'files were removed');
  return swept;
}

async function deleteUnused(db: Database): Promise<number> {
  const rows = await db.many(sql`
    delete from attachment
     where id in (select id from attachment
                   where task_id is null and created_at < now() - ${UNUSED_FOR}::interval
                   order by created_at limit 10000
                     for update skip locked)
       and task_id is null
    returning id`);
  return rows.length;
}

async function removeOrphans(
  db: Database,
  files: FileStore,
  page: StoredObject[],
  now: number,
): Promise<number> {
  const old = page.filter(({ storedAt }) => now - storedAt.getTime() > ORPHANED_AFTER);
  const keys = old.map(({ key }) => key);
  if (keys.length === 0) return 0;
  const found = await db.many<{ key: string }>(sql`
    select key from unnest(${keys}::text[]) key
     where not exists (select from attachment where storage_key = key)
       and not exists (select from artifact where storage_key = key)
       and not exists (select from odoo_dump where storage_key = key)
       and ${noBackup}`);
  const orphans = found.map(({ key }) => key);
  await files.delete(orphans);
  return orphans.length;
}

/** The keys of rows after `from` and up to `to` that are not in this part of the listing. */
async function absent(
  db: Database,
  from: string,
  to: string | undefined,
  page: StoredObject[],
): Promise<string[]> {
  const listed = page.map(({ key }) => key);
  // '~' follows everything that a key may contain.
  const end = to ?? '~';
  const rows = await db.many<{ storage_key: string }>(sql`
    select storage_key from attachment
     where storage_key > ${from} and storage_key <= ${end}
       and storage_key <> all(${listed}::text[]) and created_at < now() - interval '1 hour'
    union all
    select storage_key from artifact
     where storage_key > ${from} and storage_key <= ${end}
       and storage_key <> all(${listed}::text[]) and created_at < now() - interval '1 hour'
    union all
    select storage_key from odoo_dump
     where storage_key > ${from} and storage_key <= ${end}
       and storage_key <> all(${listed}::text[]) and created_at < now() - interval '1 hour'
     limit 10000`);
  return rows.map(({ storage_key }) => storage_key);
}

/** Of these keys, those whose rows were not deleted while the store was listed. */
async function stillThere(db: Database, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await db.many<{ storage_key: string }>(sql`
    select storage_key from attachment where storage_key = any(${keys}::text[])
    union all
    select storage_key from artifact where storage_key = any(${keys}::text[])
    union all
    select storage_key from odoo_dump where storage_key = any(${keys}::text[])
     order by storage_key`);
  return rows.map(({ storage_key }) => storage_key);
}
