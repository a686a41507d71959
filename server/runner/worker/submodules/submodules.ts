import { lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type HostedRepository,
  hostColumns,
  isConnected,
} from '../../../access/hosted-repository.ts';
import {
  type CodeHosts,
  cloneUrl,
  fetchCommit,
  gitDirOf,
  type HostUrls,
  isFolder,
  RemoteFailed,
  releaseCommit,
  runGit,
  sizeOf,
  taskRepository,
} from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { TREE_BOUNDS } from '../../../platform/pods/tree/bounds.ts';
import { inStaging, stagingOf } from '../staging.ts';
import { TREE_WITHIN_MS } from '../task-branch.ts';
import { type GitIn, isPlain, readSubmodules, type Submodule } from './read-submodules.ts';
import { type AttachedRepository, absolute, attachedAt } from './submodule-urls.ts';

/**
 * Fills the folders of submodules of a commit whose addresses are those of repositories that the
 * project has attached: nothing else is fetched. `.gitmodules` is whatever someone has pushed. The
 * work tree is new, and nothing but Git has written into it. Returns texts for people about those
 * that stay empty.
 */
export type FillSubmodules = (
  of: { projectId: string; commit: string; workTree: string },
  signal?: AbortSignal,
) => Promise<string[]>;

/** The folder of a project with copies of repositories elsewhere. */
export const SUBMODULES = '.submodules';
/** Submodules of submodules, and how many in all. */
const DEEPEST = 3;
const MOST = 20;
/** About those that stay empty. */
const MOST_NOTICES = 5;
const NOT_BARE = ['-c', 'core.bare=false'];

interface Place extends AttachedRepository, HostedRepository {
  connected: boolean | null;
  /** Whether tasks work in it. */
  ofTasks: boolean;
}

interface Options {
  /** The folder of all repositories. */
  directory: string;
  hosts: CodeHosts;
  /** Where Git clones from GitHub; undefined without an App. */
  githubUrl: string | undefined;
  publicUrl: string;
}

export function submodulesOf(
  db: Database,
  { directory, hosts, githubUrl, publicUrl }: Options,
): FillSubmodules {
  const gitIn =
    (gitDir: string, signal: AbortSignal | undefined): GitIn =>
    (args) =>
      runGit(args, { GIT_DIR: gitDir }, { input: '', signal });

  /** The repository that has the commit. Errors: RemoteFailed. */
  async function gitDirWith(
    projectId: string,
    repository: Place,
    commit: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const local = repository.host === 'local';
    const gitDir = local
      ? gitDirOf(directory, projectId, repository.fullName)
      : join(directory, projectId, SUBMODULES, `${repository.id}.git`);
    const has = async () =>
      (await isFolder(gitDir)) &&
      (await gitIn(gitDir, signal)(['cat-file', '-t', commit]).catch(() => '')).trim() === 'commit';
    if (await has()) return gitDir;
    if (local) return undefined;
    const host = hosts.of(repository);
    if (host === undefined || !repository.connected) return undefined;
    await fetchCommit(gitDir, await host.remote(repository, 'read'), commit);
    return (await has()) ? gitDir : undefined;
  }

  return async ({ projectId, commit, workTree }, signal) => {
    const own = gitIn(gitDirOf(directory, projectId), signal);
    const first = await readSubmodules(own, commit);
    if (first.length === 0) return [];
    const attached = await db.many<Place>(
      attachedTo(projectId, { publicUrl, githubUrl: githubUrl ?? '' }),
    );
    const main = attached.find(({ ofTasks }) => ofTasks);
    const notices: string[] = [];
    const size = await sizeOf(own, commit);
    let filled = 0;
    const fetched: { gitDir: string; commit: string }[] = [];

    async function fill(
      { path, commit: id, url }: Submodule,
      of: { folder: string; url: string; depth: number },
    ): Promise<void> {
      const shown = JSON.stringify(path.slice(0, 200));
      const not = (why: string) => notices.push(`The submodule ${shown} stays empty: ${why}`);
      if (!isPlain(path)) return void not('its path is none that can be filled.');
      if (of.depth > DEEPEST || filled >= MOST)
        return void not(`at most ${MOST} are filled, ${DEEPEST} within each other.`);
      const address = url === undefined ? undefined : absolute(url, of.url);
      const repository = attachedAt(address, attached);
      if (repository === undefined)
        return void not(
          'its address in .gitmodules is that of no repository of the project. An admin can attach it.',
        );
      filled++;
      const target = await emptyFolder(of.folder, path);
      if (target === undefined) return void not('its place is no empty folder.');
      let gitDir: string | undefined;
      try {
        gitDir = await gitDirWith(projectId, repository, id, signal);
      } catch (error) {
        if (!(error instanceof RemoteFailed)) throw error;
        return void not(error.message);
      }
      if (gitDir === undefined) return void not(`${repository.fullName} does not have its commit.`);
      if (repository.host !== 'local') fetched.push({ gitDir, commit: id });
      const git = gitIn(gitDir, signal);
      const more = await sizeOf(git, id);
      if (
        size.entries + more.entries > TREE_BOUNDS.maxEntries ||
        size.bytes + more.bytes > TREE_BOUNDS.maxBytes
      )
        return void not('with it, the files would be more than a work tree may hold.');
      size.entries += more.entries;
      size.bytes += more.bytes;
      await inStaging(stagingOf(directory), async (folder) => {
        const index = join(folder, 'index');
        const inTarget = { GIT_DIR: gitDir, GIT_WORK_TREE: target, GIT_INDEX_FILE: index };
        const write = (...args: string[]) =>
          runGit([...NOT_BARE, ...args], inTarget, { within: TREE_WITHIN_MS, signal });
        await write('read-tree', id);
        await write('checkout-index', '--all', '--force');
      });
      for (const inner of await readSubmodules(git, id))
        await fill(inner, { folder: target, url: repository.url, depth: of.depth + 1 });
    }

    try {
      for (const each of first)
        await fill(each, { folder: workTree, url: main?.url ?? '', depth: 1 });
    } finally {
      for (const each of fetched) await releaseCommit(each.gitDir, each.commit);
    }
    return summarised(notices);
  };
}

/** Notices of a thousand submodules would hide what else is said. */
function summarised(notices: readonly string[]): string[] {
  if (notices.length <= MOST_NOTICES) return [...notices];
  const rest = notices.length - (MOST_NOTICES - 1);
  return [
    ...notices.slice(0, MOST_NOTICES - 1),
    `${rest} more submodules stay empty, for reasons such as these.`,
  ];
}

/** The folder of a submodule: a real one, with nothing in it. Git makes it, except an old one. */
async function emptyFolder(workTree: string, path: string): Promise<string | undefined> {
  const target = join(await realpath(workTree), path);
  await mkdir(target).catch((error) => {
    if (!['EEXIST', 'ENOENT', 'ENOTDIR'].includes(error.code)) throw error;
  });
  const real = await realpath(target).catch(() => undefined);
  if (real !== target || !(await lstat(target)).isDirectory()) return undefined;
  return (await readdir(target)).length === 0 ? target : undefined;
}

const attachedTo = (projectId: string, urls: HostUrls) => sql`
  select r.id, ${hostColumns}, ${isConnected} as connected,
         ${taskRepository(sql`r`)} as "ofTasks",
         ${cloneUrl(sql`r`, urls)} as url
    from repository r join project p on p.id = r.project_id
   where r.project_id = ${projectId} and (r.host <> 'github' or ${urls.githubUrl} <> '')`;
