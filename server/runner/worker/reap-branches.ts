import { gitDirOf, isFolder, runGit } from '../../code/index.ts';
import { noBackup } from '../../db/backup-lock.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { projectsIn } from './reap-repositories.ts';

/** Of a task: its branch, those beside it, and what Guildhall remembers of it. */
const OF_TASK =
  /^refs\/(?:heads\/task|guildhall\/[a-z]+)\/([0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)(?:-|$)/;
const REST = ['-0000-0000-0000-000000000000', '-ffff-ffff-ffff-ffffffffffff'] as const;

/**
 * Git writes all packed references again however few it removes. Nobody else removes any meanwhile, and
 * who waits for that gives up after a second.
 */
const AT_ONCE = 100;

interface Reference {
  /** Each character stands for a byte. */
  name: string;
  commit: string;
  /** The id of its task, or the first 8 characters of it. */
  of: string;
}

/**
 * Removes all references of deleted tasks from the repositories of this machine, also those that keep
 * what was merged: the branches that it was merged into have it. As with repositories, only what the
 * audit trail names as deleted goes, because this database may be older than the repositories. Returns
 * how many, none while a backup runs; `onFailure` gets what keeps one, which is tried again the next
 * time.
 */
export async function reapBranches(
  db: Database,
  directory: string,
  onFailure: (ref: string, error: unknown) => void,
): Promise<number> {
  let removed = 0;
  for (const project of await projectsIn(directory)) {
    const gitDir = gitDirOf(directory, project);
    if (!(await isFolder(gitDir))) continue;
    const references = await referencesIn(gitDir);
    const deleted = await deletedOf(db, project, [...new Set(references.map(({ of }) => of))]);
    const left = references.filter(({ of }) => deleted.has(of));
    for (let at = 0; at < left.length; at += AT_ONCE) {
      const some = left.slice(at, at + AT_ONCE);
      try {
        await removeReferences(gitDir, some);
        removed += some.length;
      } catch {
        // One of them is locked or has moved, and keeps no other.
        for (const one of some)
          await removeReferences(gitDir, [one]).then(
            () => removed++,
            (error) => onFailure(one.name, error),
          );
      }
    }
  }
  return removed;
}

/** All of them, or none where one is not as it was found. */
const removeReferences = (gitDir: string, references: readonly Reference[]): Promise<string> => {
  const input = references.map(({ name, commit }) => `delete ${name} ${commit}\n`).join('');
  return runGit(['update-ref', '--stdin'], { GIT_DIR: gitDir }, { input });
};

async function referencesIn(gitDir: string): Promise<Reference[]> {
  const format = '--format=%(objectname) %(refname)';
  const places = ['refs/heads/task/', 'refs/guildhall/'];
  const args = ['for-each-ref', format, ...places];
  const printed = await runGit(args, { GIT_DIR: gitDir }, { input: '' });
  return printed.split('\n').flatMap((line) => {
    const [commit = '', name = ''] = line.split(' ');
    const of = OF_TASK.exec(name)?.[1];
    return of === undefined ? [] : [{ name, commit, of }];
  });
}

/** Those that a deleted task of the project has, and none of its tasks that are there. */
async function deletedOf(
  db: Database,
  project: string,
  named: readonly string[],
): Promise<Set<string>> {
  if (named.length === 0) return new Set();
  const [first, last] = REST.map((rest) => named.map((of) => (of.length === 8 ? of + rest : of)));
  const found = await db.many<{ named: string }>(sql`
    select n.named
      from unnest(${named}::text[], ${first}::uuid[], ${last}::uuid[]) n(named, first, last)
     where ${noBackup} and not exists (
       select from task t
        where t.id between n.first and n.last and t.project_id = ${project})
       and exists (
       select from audit_event e
        where e.project_id = ${project} and e.action = 'task.delete' and e.outcome = 'done'
          and left(e.target_id, 8) = left(n.named, 8) and starts_with(e.target_id, n.named))`);
  return new Set(found.map((one) => one.named));
}
