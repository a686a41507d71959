import {
  branchOf,
  commitsAt,
  DEFAULT_BRANCH,
  fetchBranches,
  keptBaseOf,
  NO_COMMIT,
  pushBranch,
  type Remote,
  RemoteFailed,
  RepositoryError,
  refOf,
} from '../../code/index.ts';
import {
  changeRefs,
  commitMerged,
  type Git,
  isWithin,
  keepAside,
  mergeTrees,
  nextAside,
  type Placed,
  pushedMeanwhile,
  restored,
} from './task-branch.ts';

/**
 * The branch of a task on another code host. The repository of this server is a copy: people push to
 * the host, and the worker brings both together. References of Guildhall's own remember what the
 * host has: `seen` is the last commit of the branch that is the same here and there or was, so that
 * what moved since is known on either side.
 */

export const fetchedOf = (taskId: string): string => `refs/guildhall/fetched/${taskId.slice(0, 8)}`;
export const seenRefOf = (taskId: string): string => `refs/guildhall/seen/${taskId}`;

/** How often the branch may move on the host meanwhile. */
const TRIES = 5;

/** What the host has now is fetched; what it does not have of a task is pushed. Errors: RemoteFailed. */
export async function syncBranch(
  git: Git,
  gitDir: string,
  remote: Remote,
  taskId: string,
  base?: string,
): Promise<Placed> {
  let placed: Placed = {};
  const chosen = base === undefined ? undefined : { name: base, into: keptBaseOf(taskId) };
  for (let tries = 1; ; tries++) {
    const branch = branchOf(taskId);
    const into = fetchedOf(taskId);
    const there = await fetchBranches(gitDir, remote, { prefix: branch, into, base: chosen });
    try {
      const notice = await bringTogether(git, taskId);
      placed = { ...(notice === undefined ? placed : { notice }), baseGone: !there };
      await pushAside(git, gitDir, remote, taskId);
    } catch (error) {
      if (error instanceof RepositoryError || tries === TRIES) throw error;
      // Another worker has changed a reference meanwhile.
      continue;
    }
    const { ours, theirs } = await sides(git, taskId);
    if (ours === undefined || ours === theirs) return placed;
    if (await pushBranch(gitDir, remote, { commit: ours, branch, expected: theirs })) {
      await changeRefs(git, `update ${seenRefOf(taskId)} ${ours}`);
      return placed;
    }
    if (tries === TRIES) throw new RemoteFailed(`The branch ${branch} keeps moving.`, true);
  }
}

/** The commits of the branch: here, on the host, and where both were the same. */
async function sides(git: Git, taskId: string) {
  const refs = [refOf(taskId), fetchedOf(taskId), seenRefOf(taskId)];
  const [ours, theirs, seen] = await commitsAt(git, refs);
  return { ours, theirs, seen };
}

/** Makes the branch here one that the host can take. Returns a text for people. */
async function bringTogether(git: Git, taskId: string): Promise<string | undefined> {
  const { ours, theirs, seen } = await sides(git, taskId);
  // Nothing new there.
  if (theirs === seen) return undefined;
  const remember = move(seenRefOf(taskId), seen, theirs);
  const follow = move(refOf(taskId), ours, theirs);
  if (ours === theirs) return void (await changeRefs(git, remember));
  if (ours === undefined || ours === seen || (theirs && (await isWithin(git, ours, theirs))))
    return void (await changeRefs(git, remember, follow));
  // Deleted there, or pushed by this server, which died before it could remember.
  if (theirs === undefined || (await isWithin(git, theirs, ours))) {
    await changeRefs(git, remember);
    return theirs === undefined ? restored(taskId) : undefined;
  }
  const parent = seen ?? (await git(['merge-base', ours, theirs]).catch(() => DEFAULT_BRANCH));
  const merged = await mergeTrees(git, { base: parent, ours: theirs, theirs: ours });
  if ('conflicts' in merged)
    return keepAside(git, taskId, ours, merged.conflicts, remember, follow);
  const both = await commitMerged(git, merged.tree, { id: ours, parent, head: theirs });
  await changeRefs(git, remember, move(refOf(taskId), ours, both));
  return pushedMeanwhile(taskId);
}

const move = (ref: string, from: string | undefined, to: string | undefined): string =>
  to === undefined ? `delete ${ref} ${from}` : `update ${ref} ${to} ${from ?? NO_COMMIT}`;

/**
 * What could not be merged goes to the host, too, and is kept there from then on. Where the host has
 * got another branch of that name meanwhile, it gets the next number.
 */
async function pushAside(git: Git, gitDir: string, remote: Remote, taskId: string): Promise<void> {
  const prefix = `${branchOf(taskId)}-conflict-`;
  const format = '--format=%(objectname) %(refname:short)';
  const printed = await git(['for-each-ref', format, `refs/heads/${prefix}*`]);
  for (const line of printed.split('\n').filter(Boolean)) {
    const [commit = '', branch = ''] = line.split(' ');
    const there = await pushBranch(gitDir, remote, { commit, branch, expected: undefined });
    const next = there
      ? `update ${fetchedOf(taskId)}${branch.slice(branchOf(taskId).length)} ${commit}`
      : `create refs/heads/${await nextAside(git, taskId)} ${commit}`;
    await changeRefs(git, `delete refs/heads/${branch} ${commit}`, next);
  }
}
