import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { makeFolderId, readFolderId } from '../../platform/folder-id.ts';
import { RepositoryError, runGit } from './git.ts';

/**
 * Whether repositories can be kept in this folder, which is made if it is missing. Throws
 * RepositoryError when it cannot be written, or git is missing.
 */
export async function checkRepositories(directory: string): Promise<void> {
  try {
    // Not with the mode, which the folders above would have, too: users of pods pass through them.
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
    // A volume that is mounted here may be of another user, and so its mode not ours to change.
    const { uid } = await stat(directory);
    if (uid === process.getuid?.()) await chmod(directory, FOLDER);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RepositoryError(
      `The folder ${directory} must be one that can be written (${code}).`,
      {
        cause,
      },
    );
  }
  await runGit(['--version'], {});
}

/** Only this user reads the code of projects: an agent that is not confined may be another one. */
const FOLDER = 0o700;

/**
 * Binds the database to this folder of repositories, at the first use of either. Workers that
 * share the folder find the same id in it. Throws RepositoryError when the database is bound to
 * another folder: a worker with other repositories would go on with tasks whose commits it does
 * not have. So it does where this database is bound to none, and the repositories are those of another
 * one: its worker would destroy the pods of theirs. Returns the id.
 */
export async function bindFolder(
  db: Pick<Database, 'many' | 'maybeOne'>,
  directory: string,
): Promise<string> {
  const bound = await boundTo(db);
  const found = await readFolderId(directory);
  if (bound === undefined && found !== undefined) await refuseStrange(db, directory);
  const id = found ?? (bound ? undefined : await makeFolderId(directory));
  if (bound === undefined)
    await db.many(sql`
      insert into repository_folder (id, place) values (${id}, ${`${hostname()}:${directory}`})
      on conflict do nothing`);
  const { id: expected, place } = bound ?? ((await boundTo(db)) as Bound);
  if (id !== expected) throw new RepositoryError(elsewhere(directory, place));
  return expected;
}

const PROJECT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws RepositoryError where there are repositories, and none of a project that this database has, or had. */
async function refuseStrange(db: Pick<Database, 'maybeOne'>, directory: string): Promise<void> {
  const projects = (await readdir(directory)).filter((name) => PROJECT.test(name));
  if (projects.length === 0) return;
  const known = await db.maybeOne(sql`
    select found.id from unnest(${projects}::uuid[]) as found(id)
     where exists (select from project p where p.id = found.id)
        or exists (select from audit_event e where e.project_id = found.id)
     limit 1`);
  if (known !== undefined) return;
  throw new RepositoryError(
    `The repositories in ${directory} are those of another database: this one has had none of their ` +
      'projects. Set DATABASE_URL as it was, or DATA_DIR to a folder that no other database uses. If that ' +
      'database is lost for good, move the folder away.',
  );
}

/**
 * Throws RepositoryError when a folder is not the one with this id any more, as where its volume is
 * gone while processes run: a repository made in what is there instead would be empty, and tasks
 * would go on without their code.
 */
export async function requireFolder(directory: string, id: string): Promise<void> {
  const found = await readFolderId(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new RepositoryError(`${lost(directory)} (${cause.code}).`, { cause, passes: true });
  });
  if (found !== id) throw new RepositoryError(`${lost(directory)}.`, { passes: true });
}

const lost = (directory: string) =>
  `The folder ${directory} is not the one with the repositories any more: see that its volume is ` +
  'mounted';

/**
 * Whether this is the folder to which the database is bound. A server asks before it makes a
 * repository: it may have no part in the folder of the workers, which bind it.
 */
export async function isBound(db: Pick<Database, 'maybeOne'>, directory: string): Promise<boolean> {
  const bound = await boundTo(db);
  return bound !== undefined && bound.id === (await readFolderId(directory));
}

interface Bound {
  id: string;
  place: string;
}

const boundTo = (db: Pick<Database, 'maybeOne'>): Promise<Bound | undefined> =>
  db.maybeOne<Bound>(sql`select id, place from repository_folder`);

const elsewhere = (directory: string, place: string) =>
  `The tasks of this database have their repositories in another folder than ${directory}: the one ` +
  `first used as ${place}. DATA_DIR must be the folder that all workers share; on a machine ` +
  'without it, use --no-work. If those repositories are lost for good, delete the row of the ' +
  'table repository_folder, and tasks go on with the ones here.';
