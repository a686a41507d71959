import {
  commitsAt,
  comparedWith,
  gitDirOf,
  isFolder,
  odooModulesIn,
  readBuildFile,
  refOf,
  runGit,
} from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { type CodeOrder, type InstanceCode, InstanceError } from '../../../erp/index.ts';
import { PodError } from '../../../platform/pods/pod.ts';
import { checkOut } from '../commands/fill-pod.ts';
import { inStaging, stagingOf } from '../staging.ts';
import type { FillSubmodules } from '../submodules/submodules.ts';

/**
 * What an instance runs: the modules of a commit of its task's branch, and those of the branch that
 * the task begins with. Both are read from the repository; nothing in a work tree has a say.
 */

export interface CodeOfTask {
  /** The commit; undefined for a project without code. */
  head: string | undefined;
  /** Undefined for a commit without Odoo modules. */
  code?: InstanceCode;
  /** What `--test-tags` gets, where the commit asks for tests. */
  testTags?: string;
  /** Why its modules cannot be run, as a sentence. */
  fault?: string;
}

export interface CodePlace {
  db: Pick<Database, 'maybeOne'>;
  /** The folder of all repositories. */
  directory: string;
  submodules?: FillSubmodules | undefined;
}

interface Task {
  projectId: string;
  base: string | null;
  onHost: boolean;
}

/** Which commit an instance of the task shall run. Throws as `runGit` does. */
export async function headOfTask(
  place: CodePlace,
  taskId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const at = await openTask(place, taskId, signal);
  return at && (await at.head());
}

/** `head`: of the branch, if it is known. Throws as `runGit` does. */
export async function codeOfTask(
  place: CodePlace,
  taskId: string,
  { commit, signal }: { commit?: string; signal?: AbortSignal } = {},
): Promise<CodeOfTask> {
  const at = await openTask(place, taskId, signal);
  const head = commit ?? (await at?.head());
  if (at === undefined || head === undefined) return { head: undefined };
  const read = await codeAt(at.gitDir, head, signal);
  if ('fault' in read) return { head, fault: read.fault };
  if (read.code === undefined) return { head };
  const { code, demo, testTags } = read;
  const { projectId } = at;
  const base = await at.base();
  const ofBase = base === undefined || base === head ? read : await codeAt(at.gitDir, base, signal);
  return {
    head,
    ...(testTags !== undefined && { testTags }),
    code: {
      order: { project: projectId, demo, code, base: 'fault' in ofBase ? undefined : ofBase.code },
      fill: (each, workTree) =>
        inStaging(stagingOf(place.directory), (folder) => {
          const { directory, submodules = async () => [] } = place;
          const of = { directory, projectId, commit: each, workTree, folder, submodules };
          return checkOut(of, signal).catch((error) => {
            if (!(error instanceof PodError) || error.code !== 'too_large') throw error;
            const sentence = `The files of commit ${each.slice(0, 12)} do not fit: ${error.message}.`;
            throw new InstanceError('failed', error.message, { sentence, cause: error });
          });
        }),
    },
  };
}

async function openTask({ db, directory }: CodePlace, taskId: string, signal?: AbortSignal) {
  const task = await db.maybeOne<Task>(sql`
    select t.project_id as "projectId", t.base,
           exists (select from repository r
                    where r.project_id = t.project_id and r.host <> 'local') as "onHost"
      from task t where t.id = ${taskId}`);
  if (task === undefined) return undefined;
  const { projectId, onHost } = task;
  const gitDir = gitDirOf(directory, projectId);
  if (!(await isFolder(gitDir))) return undefined;
  const git = (args: string[]) => runGit(args, { GIT_DIR: gitDir }, { signal });
  const base = () => comparedWith(git, taskId, { base: task.base ?? undefined, onHost });
  return {
    projectId,
    gitDir,
    base,
    head: async () => (await commitsAt(git, [refOf(taskId)]))[0] ?? (await base()),
  };
}

interface CodeAt {
  code: CodeOrder | undefined;
  demo: boolean;
  testTags: string | undefined;
}

async function codeAt(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
): Promise<CodeAt | { fault: string }> {
  const file = await readBuildFile(gitDir, commit, signal);
  if ('fault' in file) return file;
  const { odoo = {} } = file;
  const found = await odooModulesIn(gitDir, commit, odoo, signal);
  if (found !== undefined && 'fault' in found) return found;
  const { demo = false, testTags } = odoo;
  if (found === undefined) return { code: undefined, demo, testTags };
  const { addons, modules } = found;
  return { code: { commit, addons, modules, folder: '' }, demo, testTags };
}
