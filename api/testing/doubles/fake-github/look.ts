import { branchesOf, gitIn, isAncestor } from './git/bare.ts';
import type { Account, PullRequest, Repository, State } from './state.ts';

/** A branch that was moved, made or deleted. */
export interface Moved {
  branch: string;
  before: string | undefined;
  after: string | undefined;
}

/**
 * Compares the Git repository with what was known of it, after a push or a change by the API, and
 * lets the pull requests follow: their heads and bases move, they close when their branch is
 * deleted, and count as merged when their commits have arrived in the base by other means.
 */
export async function look(state: State, repository: Repository, by: Account): Promise<Moved[]> {
  const { branches: known, gitDir } = repository;
  const branches = await branchesOf(gitDir);
  const moved = [...new Set([...known.keys(), ...branches.keys()])]
    .map((branch) => ({ branch, before: known.get(branch), after: branches.get(branch) }))
    .filter(({ before, after }) => before !== after);
  repository.branches = branches;
  if (moved.length > 0) repository.pushedAt = state.now();
  for (const pull of repository.pulls.values())
    if (pull.state === 'open') await follow(state, repository, pull, by);
  return moved;
}

async function follow(
  state: State,
  { branches, gitDir }: Repository,
  pull: PullRequest,
  by: Account,
): Promise<void> {
  const head = branches.get(pull.head.ref);
  const base = branches.get(pull.base.ref);
  if (head === pull.head.sha && base === pull.base.sha) return;
  pull.updatedAt = state.now();
  if (head !== undefined && head !== pull.head.sha) {
    pull.head.sha = head;
    await gitIn(gitDir, ['update-ref', `refs/pull/${pull.number}/head`, head]);
  }
  if (base !== undefined && base !== pull.base.sha) {
    const included = await isAncestor(gitDir, pull.head.sha, base);
    if (included) pull.merged = { at: state.now(), by, commit: base };
    else pull.base.sha = base;
  }
  if (pull.merged !== undefined || head === undefined || base === undefined) close(state, pull);
}

export function close(state: State, pull: PullRequest): void {
  pull.state = 'closed';
  pull.closedAt = state.now();
  pull.updatedAt = state.now();
}
