import type { Addresses } from '../state.ts';
import { fullName, type PullRequest, type Repository } from '../state.ts';
import type { Schema } from '../typed.ts';
import { nodeId, time, userShape } from './accounts.ts';
import { repositoryShape } from './repositories.ts';

/** What Git says of a pull request. */
export interface Measured {
  mergeable: boolean | null;
  mergeableState: string;
  commits: number;
  additions: number;
  deletions: number;
  files: number;
}

/** As lists show it. */
export function simplePullShape(pull: PullRequest, repository: Repository, at: Addresses) {
  const { id, number, title, body, author, draft, state, merged, mergeability } = pull;
  const url = `${at.api}/repos/${fullName(repository)}/pulls/${number}`;
  return {
    id,
    node_id: nodeId('PullRequest', id),
    number,
    state,
    locked: false,
    title,
    body,
    draft,
    user: userShape(author, at),
    labels: [],
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    auto_merge: null,
    active_lock_reason: null,
    created_at: time(pull.createdAt),
    updated_at: time(pull.updatedAt),
    closed_at: pull.closedAt === undefined ? null : time(pull.closedAt),
    merged_at: merged === undefined ? null : time(merged.at),
    merge_commit_sha: merged?.commit ?? mergeability.trial ?? null,
    head: sideShape(pull.head, repository, at),
    base: sideShape(pull.base, repository, at),
    author_association: author.login.endsWith('[bot]') ? 'NONE' : 'MEMBER',
    ...linksOf(url, pull, repository, at),
  } satisfies Schema<'pull-request-simple'>;
}

/** As it is shown alone. */
export const pullShape = (
  pull: PullRequest,
  { mergeable, mergeableState, files, ...counts }: Measured,
  repository: Repository,
  at: Addresses,
) =>
  ({
    ...simplePullShape(pull, repository, at),
    merged: pull.merged !== undefined,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: mergeableState,
    merged_by: pull.merged === undefined ? null : userShape(pull.merged.by, at),
    comments: 0,
    review_comments: 0,
    maintainer_can_modify: false,
    ...counts,
    changed_files: files,
  }) satisfies Schema<'pull-request'>;

/** As checks refer to it. */
export function minimalPullShape(
  { id, number, head, base }: PullRequest,
  repository: Repository,
  at: Addresses,
) {
  const url = `${at.api}/repos/${fullName(repository)}`;
  const repo = { id: repository.id, url, name: repository.name };
  return {
    id,
    number,
    url: `${url}/pulls/${number}`,
    head: { ...head, repo },
    base: { ...base, repo },
  } satisfies Schema<'pull-request-minimal'>;
}

function sideShape(
  { ref, sha }: { ref: string; sha: string },
  repository: Repository,
  at: Addresses,
) {
  const { owner } = repository;
  return {
    label: `${owner.login}:${ref}`,
    ref,
    sha,
    user: userShape(owner, at),
    repo: repositoryShape(repository, at),
  };
}

function linksOf(
  url: string,
  { number, head }: PullRequest,
  repository: Repository,
  at: Addresses,
) {
  const of = `${at.api}/repos/${fullName(repository)}`;
  const html = `${at.web}/${fullName(repository)}/pull/${number}`;
  const links = {
    self: url,
    html,
    issue: `${of}/issues/${number}`,
    comments: `${of}/issues/${number}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${of}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${of}/statuses/${head.sha}`,
  };
  const link = (href: string) => ({ href });
  return {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: links.issue,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    _links: {
      self: link(links.self),
      html: link(links.html),
      issue: link(links.issue),
      comments: link(links.comments),
      review_comments: link(links.review_comments),
      review_comment: link(links.review_comment),
      commits: link(links.commits),
      statuses: link(links.statuses),
    },
  };
}
