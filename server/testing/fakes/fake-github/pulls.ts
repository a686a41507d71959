import { commitTree, gitIn, mergedTree } from './git/bare.ts';
import { changedFiles, countCommits } from './git/commits.ts';
import type { Measured } from './shapes/pulls.ts';
import {
  type Account,
  type Mergeability,
  newId,
  type PullRequest,
  type Repository,
  type State,
} from './state.ts';

/** Pull requests between branches of one repository. */

interface NewPull {
  title: string;
  body: string | null;
  head: string;
  base: string;
  draft: boolean;
  author: Account;
}

/** Both branches exist. */
export async function openPull(
  state: State,
  repository: Repository,
  { head, base, ...rest }: NewPull,
): Promise<PullRequest> {
  const now = state.now();
  const number = repository.nextNumber++;
  const sides = {
    head: { ref: head, sha: repository.branches.get(head) ?? '' },
    base: { ref: base, sha: repository.branches.get(base) ?? '' },
  };
  const pull: PullRequest = {
    ...rest,
    ...sides,
    id: newId(),
    number,
    state: 'open',
    createdAt: now,
    updatedAt: now,
    closedAt: undefined,
    merged: undefined,
    mergeability: unknown(state, sides),
  };
  repository.pulls.set(number, pull);
  await gitIn(repository.gitDir, ['update-ref', `refs/pull/${number}/head`, pull.head.sha]);
  return pull;
}

export const openPullBetween = (
  { pulls }: Repository,
  head: string,
  base: string,
): PullRequest | undefined =>
  [...pulls.values()].find(
    (each) => each.state === 'open' && each.head.ref === head && each.base.ref === base,
  );

const unknown = (
  { mergeableAfter }: State,
  { head, base }: Pick<PullRequest, 'head' | 'base'>,
): Mergeability => ({
  head: head.sha,
  base: base.sha,
  unanswered: mergeableAfter,
  mergeable: null,
  trial: undefined,
});

/**
 * What a read of a pull request finds: null for the first reads after one of its branches has
 * moved, then whether it can be merged. A merged or closed one keeps what was found last.
 */
export async function readMergeable(
  state: State,
  repository: Repository,
  pull: PullRequest,
): Promise<boolean | null> {
  const { head, base } = pull.mergeability;
  if (head !== pull.head.sha || base !== pull.base.sha) pull.mergeability = unknown(state, pull);
  const { mergeability } = pull;
  if (pull.state === 'closed' || mergeability.mergeable !== null) return mergeability.mergeable;
  if (mergeability.unanswered > 0) {
    mergeability.unanswered--;
    return null;
  }
  return tryMerge(repository, pull);
}

/** Merges on trial, as GitHub does in the background. */
async function tryMerge(repository: Repository, pull: PullRequest): Promise<boolean> {
  const { gitDir } = repository;
  const { head, base, number, author } = pull;
  const tree = await mergedTree(gitDir, base.sha, head.sha);
  const mergeability: Mergeability = {
    head: head.sha,
    base: base.sha,
    unanswered: 0,
    mergeable: tree !== undefined,
    trial: undefined,
  };
  if (tree !== undefined) {
    mergeability.trial = await commitTree(gitDir, {
      tree,
      parents: [base.sha, head.sha],
      message: `Merge ${head.sha} into ${base.sha}`,
      author: authorOf(author),
    });
    await gitIn(gitDir, ['update-ref', `refs/pull/${number}/merge`, mergeability.trial]);
  }
  pull.mergeability = mergeability;
  return tree !== undefined;
}

export const authorOf = ({ id, login }: Account) => ({
  name: login,
  email: `${id}+${login}@users.noreply.github.com`,
});

/** The numbers of a pull request that is shown alone. */
export async function measure(
  { gitDir }: Repository,
  pull: PullRequest,
  mergeable: boolean | null,
): Promise<Measured> {
  const { head, base } = pull;
  const files = await changedFiles(gitDir, base.sha, head.sha);
  return {
    mergeable,
    mergeableState: stateOf(pull, mergeable),
    commits: await countCommits(gitDir, base.sha, head.sha),
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
    files: files.length,
  };
}

function stateOf({ draft }: PullRequest, mergeable: boolean | null): string {
  if (mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  return draft ? 'draft' : 'clean';
}
