import { randomUUID } from 'node:crypto';
import { personMay } from '../../../access/person-may.ts';
import { importContextOf } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';

/** An import that this process has claimed. */
export interface Import {
  id: string;
  projectId: string;
  repositoryId: string;
  /** Of the repository, on this server. */
  name: string;
  url: string;
  credential: Buffer | null;
  keyId: string | null;
  /** Counted from 1. */
  attempt: number;
  /** Names the claim. */
  by: string;
  /** The attempt whose copy is to be put in place, if one was received and checked. */
  copyId: string | null;
  /** Of that copy. */
  defaultBranch: string | null;
  /** Who asked for it may still do so, and nothing else has become of the repository. */
  allowed: boolean;
}

/** What was received. */
export interface Copied {
  defaultBranch: string;
  branches: number;
  tags: number;
  leftOut: number;
  lfs: boolean;
  /** Bytes that the source has sent. */
  received: number;
}

/** Another worker has the import now, or it was cancelled or deleted. */
export class LostImport extends Error {
  constructor(id: string) {
    super(`This worker does not have the import ${id} any more.`);
  }
}

/** SQL: whether an import `i` waits for a worker, also for another one. */
export const isClaimable = sql`
  (i.state = 'queued' or i.state = 'running' and i.held_until < now())`;

/** Claims the import that has waited longest, for `lease` milliseconds; undefined if none is due. */
export async function claimImport(db: Database, lease: number): Promise<Import | undefined> {
  const by = randomUUID();
  const [claimed] = await db.many<Import>(sql`
    with due as materialized (
      select i.id
        from repository_import i
       where ${isClaimable}
       order by i.created_at, i.id
       limit 1 for update skip locked),
    begun as (
      update repository_import i
         set state = 'running', attempts = i.attempts + 1, held_by = ${by},
             received_bytes = case when i.copy_id is null then 0 else i.received_bytes end,
             phase = case when i.copy_id is null then 'connecting' else 'placing' end,
             held_until = now() + ${lease}::integer * interval '1 millisecond'
        from due where i.id = due.id
      returning i.*)
    select b.id, b.project_id as "projectId", b.repository_id as "repositoryId",
           r.full_name as name, b.url, b.credential, b.credential_key_id as "keyId",
           b.attempts as attempt, b.held_by as by, b.copy_id as "copyId",
           b.default_branch as "defaultBranch",
           p.archived_at is null
           and exists (select from project_person person
                        where person.project_id = b.project_id
                          and person.user_id = b.requested_by_user_id
                          and ${personMay('update_project')}) as allowed
      from begun b
      join repository r on r.id = b.repository_id
      join project p on p.id = b.project_id`);
  return claimed;
}

/** User name and password, if there are any. Throws CannotOpen. */
export function loginOf(
  sealing: Sealing,
  { id, url, credential, keyId }: Import,
): { username: string; password: string } | undefined {
  if (credential === null) return undefined;
  const opened = sealing.open({ sealed: credential, keyId }, importContextOf({ id, url }));
  return JSON.parse(opened.toString());
}

/** Changes the row while the claim holds. Throws LostImport. */
async function save(db: Pick<Database, 'many'>, { id, by }: Import, changes: Sql): Promise<void> {
  const rows = await db.many(sql`
    update repository_import set ${changes}
     where id = ${id} and held_by = ${by} and state = 'running' returning id`);
  if (rows.length === 0) throw new LostImport(id);
}

export type Phase = 'connecting' | 'receiving' | 'checking';

/** Keeps the import for as long again, and says how far it is. Throws LostImport. */
export const renewImport = (
  db: Pick<Database, 'many'>,
  one: Import,
  lease: number,
  { phase, received }: { phase: Phase; received: number },
): Promise<void> =>
  save(
    db,
    one,
    sql`held_until = now() + ${lease}::integer * interval '1 millisecond',
        phase = case when copy_id is null then ${phase} else phase end,
        received_bytes = case when copy_id is null then ${received} else received_bytes end`,
  );

/** From now on the copy of this attempt is put in place, by whichever worker. Throws LostImport. */
export const beginPlacing = (
  db: Pick<Database, 'many'>,
  one: Import,
  { defaultBranch, branches, tags, leftOut, lfs, received }: Copied,
): Promise<void> =>
  save(
    db,
    one,
    sql`phase = 'placing', copy_id = ${one.by}, default_branch = ${defaultBranch},
        branches = ${branches}, tags = ${tags}, left_out = ${leftOut}, lfs = ${lfs},
        received_bytes = ${received},
        credential = null, credential_key_id = null`,
  );

/**
 * Leaves the import to others, after `delay` milliseconds; without one, at once, and the attempt does
 * not count. Nothing happens when it was lost.
 */
export const leaveImport = (
  db: Pick<Database, 'many'>,
  { id, by }: Import,
  delay?: number,
): Promise<unknown> =>
  db.many(sql`
    update repository_import
       set held_until = now() + ${delay ?? 0}::integer * interval '1 millisecond',
           attempts = attempts - ${delay === undefined ? 1 : 0}::integer
     where id = ${id} and held_by = ${by} and state = 'running'`);

/** Whether the copy of this attempt is still to be put in place, by another worker. */
export const isCopyWanted = async (db: Pick<Database, 'many'>, { id, by }: Import) =>
  (
    await db.many(sql`
      select id from repository_import where id = ${id} and copy_id = ${by} and state = 'running'`)
  ).length > 0;

const LONGEST_MESSAGE = 1_000;

/** Ends the import, which has changed nothing. */
export const failImport = (
  db: Pick<Database, 'many'>,
  { id, by }: Import,
  code: string,
  message: string,
): Promise<unknown> =>
  db.many(sql`
    update repository_import
       set state = 'failed', failure_code = ${code},
           failure_message = ${message.slice(0, LONGEST_MESSAGE)}, ended_at = clock_timestamp(),
           copy_id = null, default_branch = null, branches = null, tags = null, left_out = null,
           lfs = null, phase = null, held_by = null, held_until = null, credential = null,
           credential_key_id = null
     where id = ${id} and held_by = ${by} and state = 'running'`);

/**
 * Ends the import, which is in place. The one target that every project begins with becomes the
 * default branch, as when a repository on GitHub is attached.
 */
export const endImport = (
  db: Pick<Database, 'many'>,
  { id, by, repositoryId, projectId }: Import,
): Promise<unknown> =>
  db.many(sql`
    with ended as (
      update repository_import
         set state = 'done', ended_at = clock_timestamp(), phase = null, held_by = null,
             held_until = null
       where id = ${id} and held_by = ${by} and state = 'running'
      returning default_branch),
    named as (
      update repository r
         set default_branch = ended.default_branch, updated_at = clock_timestamp()
        from ended
       where r.id = ${repositoryId} and r.default_branch <> ended.default_branch
      returning r.full_name)
    update merge_target m set branch = ended.default_branch
      from ended, named
     where named.full_name = 'main' and m.project_id = ${projectId} and m.branch = 'main'
       and not exists (select from merge_target other
                        where other.project_id = ${projectId} and other.branch <> 'main')`);
