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
  /** Bytes without a row, of projects that this database never had. They stay. */
  foreign: number;
  /** Rows whose bytes are gone. */
  missing: string[];
}

/**
 * Makes the store and the rows agree: bytes that have been without a row for a day are removed; those of
 * deleted rows are sooner (remove-deleted.ts). Bytes of projects that this database never had are reported
 * and stay: they are those of another one, whose store a wrong DATABASE_URL or FILES_URL has brought
 * here. Rows without bytes are reported; nothing can be done for them.
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
  let [orphaned, foreign, last] = [0, 0, ''];
  const candidates: string[] = [];
  for await (const page of files.list()) {
    const old = page.filter(({ storedAt }) => now - storedAt.getTime() > ORPHANED_AFTER);
    const found = await findOrphans(
      db,
      old.map(({ key }) => key),
    );
    const orphans = found.filter(({ known }) => known);
    await files.delete(orphans.map(({ key }) => key));
    orphaned += orphans.length;
    foreign += found.length - orphans.length;
    candidates.push(...(await absent(db, last, page.at(-1)?.key, page)));
    last = page.at(-1)?.key ?? last;
  }
  candidates.push(...(await absent(db, last, undefined, [])));
  const missing = await stillThere(db, candidates);
  const swept = { unused, orphaned, foreign, missing };
  if (foreign > 0)
    log.error(
      { found: foreign, place: files.place },
      'files of projects that this database never had are kept: check DATABASE_URL and where files are',
    );
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

/** Those of these keys without a row; `known` where their project is, or was, one of this database. */
function findOrphans(db: Database, keys: string[]): Promise<{ key: string; known: boolean }[]> {
  if (keys.length === 0) return Promise.resolve([]);
  return db.many(sql`
    select key, exists (select from project where id = split_part(key, '/', 1)::uuid)
                or exists (select from audit_event
                            where project_id = split_part(key, '/', 1)::uuid) as known
      from unnest(${keys}::text[]) key
     where not exists (select from attachment where storage_key = key)
       and not exists (select from artifact where storage_key = key)
       and not exists (select from odoo_dump where storage_key = key)
       and ${noBackup}`);
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
