import { gitIn, isAncestor } from '../git/bare.ts';
import { readCommit } from '../git/commits.ts';
import { measure } from '../pulls.ts';
import { simpleCommitShape } from '../shapes/commits.ts';
import { pullShape } from '../shapes/pulls.ts';
import {
  type Account,
  fullName,
  type Installation,
  type PullRequest,
  type Repository,
  type State,
} from '../state.ts';
import type { Schema } from '../typed.ts';
import { common } from './account-payloads.ts';
import { emitIn } from './events.ts';

/** Events of branches and pull requests. */

const NONE = '0'.repeat(40);
const MOST_COMMITS = 20;

/** A branch that was moved, made or deleted. */
export interface Moved {
  branch: string;
  before: string | undefined;
  after: string | undefined;
}

type PullChange =
  | { action: 'opened' | 'closed' | 'reopened' }
  | { action: 'edited'; changes: Schema<'webhook-pull-request-edited'>['changes'] }
  | { action: 'synchronize'; before: string; after: string };

export function pullEvent(
  state: State,
  repository: Repository,
  now: PullRequest,
  change: PullChange,
  by: Account,
): void {
  const pull = structuredClone(now);
  emitIn(state, repository, 'pull_request', async (installation) => {
    const rest = { number: pull.number, ...common(state, repository, installation, by) };
    const measured = await measure(repository, pull, pull.mergeability.mergeable);
    const pull_request = pullShape(pull, measured, repository, state.at);
    if (change.action !== 'synchronize') return { ...rest, ...change, pull_request };
    return { ...rest, ...change, pull_request };
  });
}

export function pushEvent(state: State, repository: Repository, moved: Moved, by: Account): void {
  emitIn(state, repository, 'push', (installation) =>
    pushPayload(state, repository, moved, installation, by),
  );
}

async function pushPayload(
  state: State,
  repository: Repository,
  { branch, before, after }: Moved,
  installation: Installation,
  by: Account,
): Promise<Schema<'webhook-push'>> {
  const { gitDir } = repository;
  const { repository: shown, ...rest } = common(state, repository, installation, by);
  const html = `${state.at.web}/${fullName(repository)}`;
  const names = after === undefined ? [] : await added(gitDir, before, after);
  const commits = await Promise.all(names.map((name) => commitOf(gitDir, name, html)));
  return {
    ...rest,
    ref: `refs/heads/${branch}`,
    before: before ?? NONE,
    after: after ?? NONE,
    base_ref: null,
    created: before === undefined,
    deleted: after === undefined,
    forced:
      before !== undefined && after !== undefined && !(await isAncestor(gitDir, before, after)),
    compare: `${html}/compare/${before?.slice(0, 12)}...${after?.slice(0, 12)}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    pusher: { name: by.login, email: null },
    repository: {
      ...shown,
      // In this event only, these are seconds.
      created_at: Math.floor(repository.createdAt / 1000),
      pushed_at: Math.floor(repository.pushedAt / 1000),
      master_branch: repository.defaultBranch,
      stargazers: 0,
    },
  };
}

async function added(gitDir: string, before: string | undefined, after: string): Promise<string[]> {
  const range = before === undefined ? ['--max-count=1', after] : [after, `^${before}`];
  const most = `--max-count=${MOST_COMMITS}`;
  const printed = await gitIn(gitDir, ['rev-list', most, ...range]);
  return printed.split('\n').filter(Boolean).reverse();
}

async function commitOf(gitDir: string, name: string, html: string) {
  const commit = await readCommit(gitDir, name);
  return { ...simpleCommitShape(commit), distinct: true, url: `${html}/commit/${name}` };
}
