import { setTimeout as pause } from 'node:timers/promises';
import type { HostedRepository } from '../../access/hosted-repository.ts';
import type { HostPull, NewPull, PullMerge } from '../hosts/code-host.ts';
import { HostError } from '../hosts/host-error.ts';
import { MergeRefused } from '../repositories/merging.ts';
import type { GitHub } from './app.ts';
import { inRepository } from './read-repository.ts';

/** Where a repository is on GitHub. */
export type GitHubRepository = Pick<
  HostedRepository,
  'installationId' | 'repositoryId' | 'fullName'
>;

const AGAIN_MS = 1_000;
/** How often a merge is asked for whose base moves meanwhile. */
const ATTEMPTS = 5;

export const named = ({ fullName }: Pick<HostedRepository, 'fullName'>) => {
  const [owner = '', repo = ''] = fullName.split('/');
  return { owner, repo };
};

const pullsOf = (github: GitHub, repository: GitHubRepository, access: 'read' | 'write') =>
  inRepository(github, repository, { pull_requests: access });

/**
 * Opens a pull request, or finds the open one of the branch: one that an earlier attempt has opened
 * and did not live to record. Throws a HostError.
 */
export async function openPull(
  github: GitHub,
  repository: GitHubRepository,
  pull: NewPull,
): Promise<HostPull> {
  const api = pullsOf(github, repository, 'write');
  const found = await findPull(github, repository, pull.head);
  if (found !== undefined) return found;
  try {
    const { data } = await api.request('POST /repos/{owner}/{repo}/pulls', {
      ...named(repository),
      ...pull,
    });
    return shownBy(data);
  } catch (error) {
    // Opened meanwhile, by someone else or by an attempt whose answer did not arrive.
    if (!(error instanceof HostError) || (error.status !== 422 && !error.passes)) throw error;
    const there = await findPull(github, repository, pull.head);
    if (there === undefined) throw error;
    return there;
  }
}

async function findPull(github: GitHub, repository: GitHubRepository, head: string) {
  const { owner, repo } = named(repository);
  const { data } = await pullsOf(github, repository, 'read').request(
    'GET /repos/{owner}/{repo}/pulls',
    {
      owner,
      repo,
      head: `${owner}:${head}`,
      state: 'open',
      per_page: 1,
    },
  );
  const [first] = data;
  return first === undefined ? undefined : readPull(github, repository, first.number);
}

/** Throws a HostError. */
export async function readPull(
  github: GitHub,
  repository: GitHubRepository,
  number: number,
): Promise<HostPull> {
  const api = pullsOf(github, repository, 'read');
  const path = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const { data } = await api.request(path, { ...named(repository), pull_number: number });
  return shownBy(data);
}

/** Sets the branch that it is to be merged into. Throws a HostError. */
export async function retargetPull(
  github: GitHub,
  repository: GitHubRepository,
  number: number,
  base: string,
): Promise<HostPull> {
  const api = pullsOf(github, repository, 'write');
  const path = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
  const { data } = await api.request(path, { ...named(repository), pull_number: number, base });
  return shownBy(data);
}

interface Described {
  number: number;
  html_url: string;
  state: string;
  merged: boolean;
  mergeable: boolean | null;
  merge_commit_sha: string | null;
  updated_at: string;
  head: { sha: string };
  base: { ref: string; sha: string };
}

const shownBy = (pull: Described): HostPull => ({
  number: pull.number,
  url: pull.html_url,
  state: pull.merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
  headSha: pull.head.sha,
  base: pull.base.ref,
  baseSha: pull.base.sha,
  mergeable: pull.mergeable,
  // Before it is merged, this is a commit of GitHub's own, to try the merge.
  mergeCommit: pull.merged ? pull.merge_commit_sha : null,
  updatedAt: new Date(pull.updated_at),
});

/**
 * Merges a pull request, unless that was done already: a worker that asked for it may have died
 * before it heard the answer. Returns the merge commit. Throws MergeRefused where only a person can
 * help, and a HostError otherwise.
 */
export async function mergePull(
  github: GitHub,
  repository: GitHubRepository,
  number: number,
  { head, base, method, message }: PullMerge,
): Promise<string> {
  const api = inRepository(github, repository, { contents: 'write', pull_requests: 'write' });
  const path = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
  const [title = '', ...body] = message.split('\n');
  for (let attempt = 1; ; attempt++) {
    const pull = await readPull(github, repository, number);
    if (pull.mergeCommit !== null) return pull.mergeCommit;
    if (pull.state === 'closed') throw new MergeRefused('pull_request_closed', CLOSED);
    if (pull.headSha !== head) throw headChanged(head, pull.headSha);
    // Merging into another branch may take another right.
    if (pull.base !== base) throw baseChanged(base, pull.base);
    try {
      const { data } = await api.request(path, {
        ...named(repository),
        pull_number: number,
        sha: head,
        merge_method: method,
        commit_title: title,
        commit_message: body.join('\n').trim(),
      });
      return data.sha;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { status, said = '' } = error;
      if (status === 409) throw headChanged(head);
      if (status !== 405) throw error;
      // GitHub says the same for two things: this one passes.
      if (!/base branch was modified/i.test(said)) throw notMergeable(said);
      if (attempt === ATTEMPTS) throw new HostError('github_unavailable', error);
    }
    await pause(AGAIN_MS);
  }
}

const CLOSED = 'The pull request was closed on GitHub: reopen it there, then merge again.';

const headChanged = (expected: string, head = 'another commit') =>
  new MergeRefused(
    'head_changed',
    `The branch of the task is at ${head} on GitHub now, not at ${expected}: look at the changes, ` +
      'then merge again.',
  );

const baseChanged = (expected: string, base: string) =>
  new MergeRefused(
    'base_changed',
    `The pull request is to be merged into ${base} on GitHub now, not into ${expected}: choose ` +
      'what it is merged into, then merge again.',
  );

const notMergeable = (said: string) =>
  new MergeRefused(
    'not_mergeable',
    `GitHub does not merge it (${said.slice(0, 300)}): it may conflict with its base, or lack a ` +
      'review or a check that the rules of the branch ask for.',
  );
