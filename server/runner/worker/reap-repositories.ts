import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gitDirOf, isReferenceLock, removeStaleLock, runGit } from '../../code/index.ts';
import { noBackup } from '../../db/backup-lock.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { removeLargeTree } from '../../platform/pods/tree/remove-large-tree.ts';
import { walkTree } from '../../platform/pods/tree/walk-tree.ts';
import { fetchedOf, seenRefOf } from './remote-branch.ts';
import { SUBMODULES } from './submodules/submodules.ts';
import { savedRefOf, workRefOf } from './task-branch.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INDEX = /^index-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Removes the repositories of projects that were deleted, and what is kept for the work trees of
 * tasks that were (index files and references of Guildhall's own). A repository goes only where the
 * audit trail says that its project was deleted: one that this database does not know stays. While a
 * backup runs, all stay.
 */
export async function reapRepositories(
  db: Database,
  directory: string,
): Promise<{ repositories: number; indexes: number }> {
  const projects = await projectsIn(directory);
  const deleted = await db.many<{ id: string }>(sql`
    select distinct e.target_id as id from audit_event e
     where e.target_id = any(${projects}::text[]) and e.action = 'project.delete'
       and e.outcome = 'done' and ${noBackup}
       and not exists (select from project p where p.id::text = e.target_id)`);
  for (const { id } of deleted) await removeLargeTree(join(directory, id));
  const gone = new Set(deleted.map(({ id }) => id));
  let indexes = 0;
  for (const project of projects) {
    if (gone.has(project)) continue;
    await reapCopies(db, join(directory, project));
    indexes += await reapIndexes(db, gitDirOf(directory, project), project);
  }
  return { repositories: deleted.length, indexes };
}

const COPY = /\.git-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[0-9a-f-]{36}\.import$/;

/** What imports have received that are not under way any more. */
async function reapCopies(db: Database, folder: string): Promise<void> {
  const copies = (await namesIn(folder)).flatMap((name) => {
    const id = COPY.exec(name)?.[1];
    return id === undefined ? [] : [{ name, id }];
  });
  if (copies.length === 0) return;
  const rows = await db.many<{ id: string }>(sql`
    select id from repository_import
     where id = any(${copies.map(({ id }) => id)}::uuid[]) and state in ('queued', 'running')`);
  const underWay = new Set(rows.map(({ id }) => id));
  for (const { name, id } of copies)
    if (!underWay.has(id)) await removeLargeTree(join(folder, name));
}

async function reapIndexes(db: Database, gitDir: string, project: string): Promise<number> {
  const files = (await namesIn(gitDir)).flatMap((name) => INDEX.exec(name)?.[1] ?? []);
  if (files.length === 0) return 0;
  const left = await db.many<{ id: string }>(sql`
    select f.id::text as id from unnest(${files}::uuid[]) f(id)
     where exists (select from project where id = ${project}) and ${noBackup}
       and not exists (select from task t where t.id = f.id)`);
  for (const { id } of left) {
    const refs = [workRefOf(id), savedRefOf(id), seenRefOf(id), fetchedOf(id)];
    const input = refs.map((ref) => `delete ${ref}\n`).join('');
    await runGit(['update-ref', '--stdin'], { GIT_DIR: gitDir }, { input });
    await rm(join(gitDir, `index-${id}`), { force: true });
  }
  return left.length;
}

const HOUR_MS = 3_600_000;
/** Locks, and what git writes before it renames it. */
const UNFINISHED = /^tmp_|\.lock$/;

/**
 * Removes what git has left in repositories when it was killed. No git of ours runs for an hour, or
 * holds a lock of a reference for two minutes, and what is pushed to a folder of its own
 * (`tmp_objdir-…`) gets a day. Returns how many.
 */
export async function reapUnfinished(directory: string): Promise<number> {
  let removed = 0;
  for (const gitDir of await gitDirsIn(directory)) removed += await reapRepository(gitDir);
  return removed;
}

async function reapRepository(gitDir: string): Promise<number> {
  const objects = (await namesIn(join(gitDir, 'objects'))).filter((name) =>
    /^[0-9a-f]{2}$|^pack$/.test(name),
  );
  let removed = 0;
  for (const folder of ['', 'objects', ...objects.map((name) => join('objects', name))])
    for (const name of (await namesIn(join(gitDir, folder))).filter((one) => UNFINISHED.test(one)))
      removed += Number(await removeLeft(gitDir, join(folder, name)));
  for await (const name of unfinishedRefs(gitDir))
    removed += Number(await removeLeft(gitDir, name));
  return removed;
}

const removeLeft = (gitDir: string, name: string): Promise<boolean> =>
  isReferenceLock(name) ? removeStaleLock(join(gitDir, name)) : removeOld(join(gitDir, name));

async function removeOld(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const age = Date.now() - stats.mtimeMs;
  if (age < (stats.isDirectory() ? 24 * HOUR_MS : HOUR_MS)) return false;
  await removeLargeTree(path);
  return true;
}

/** Those that are found before there are too many, and none in a repository that was removed. */
async function* unfinishedRefs(gitDir: string): AsyncGenerator<string> {
  try {
    for await (const { path } of walkTree(join(gitDir, 'refs')))
      if (UNFINISHED.test(basename(path))) yield join('refs', path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'too_large') throw error;
  }
}

/** Every repository, attached or not, and every copy that submodules are filled from. */
export async function gitDirsIn(directory: string): Promise<string[]> {
  const folders = (await projectsIn(directory)).flatMap((project) => [
    join(directory, project),
    join(directory, project, SUBMODULES),
  ]);
  const found = folders.map(async (folder) =>
    (await namesIn(folder))
      .filter((name) => name.endsWith('.git'))
      .map((name) => join(folder, name)),
  );
  return (await Promise.all(found)).flat();
}

/** The ids of the projects that have a folder. */
export const projectsIn = async (directory: string): Promise<string[]> =>
  (await namesIn(directory)).filter((name) => UUID.test(name));

/** None where there is no folder. */
const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return [];
  });
