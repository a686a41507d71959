import { branchesOf, gitIn, isAncestor } from './git/bare.ts';
import type { Account, PullRequest, Repository, State } from './state.ts';
import { type Moved, pullEvent, pushEvent } from './webhooks/code-payloads.ts';

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
  for (const each of moved) pushEvent(state, repository, each, by);
  for (const pull of repository.pulls.values())
    if (pull.state === 'open') await follow(state, repository, pull, by);
  return moved;
}

async function follow(
  state: State,
  repository: Repository,
  pull: PullRequest,
  by: Account,
): Promise<void> {
  const { branches, gitDir } = repository;
  const head = branches.get(pull.head.ref);
  const base = branches.get(pull.base.ref);
  if (head === pull.head.sha && base === pull.base.sha) return;
  pull.updatedAt = state.now();
  if (head !== undefined && head !== pull.head.sha) {
    const change = { action: 'synchronize' as const, before: pull.head.sha, after: head };
    pull.head.sha = head;
    pullEvent(state, repository, pull, change, by);
    await gitIn(gitDir, ['update-ref', `refs/pull/${pull.number}/head`, head]);
  }
  if (base !== undefined && base !== pull.base.sha) {
    const included = await isAncestor(gitDir, pull.head.sha, base);
    if (included) pull.merged = { at: state.now(), by, commit: base };
    else pull.base.sha = base;
  }
  if (pull.merged !== undefined || head === undefined || base === undefined)
    close(state, repository, pull, by);
}

export function close(state: State, repository: Repository, pull: PullRequest, by: Account): void {
  pull.state = 'closed';
  pull.closedAt = state.now();
  pull.updatedAt = state.now();
  pullEvent(state, repository, pull, { action: 'closed' }, by);
}
