import type {
  Addresses,
  PullComment,
  Repository,
  Review,
  ReviewComment,
  RoleThere,
  State,
} from '../state.ts';
import { type Account, fullName } from '../state.ts';
import type { Schema } from '../typed.ts';
import { appShape, nodeId, time, userShape } from './accounts.ts';

const link = (href: string) => ({ href });

export function reviewShape(
  { id, number, author, body, state, sha, at: when }: Review,
  repository: Repository,
  at: Addresses,
): Schema<'pull-request-review'> {
  const pull = `${at.api}/repos/${fullName(repository)}/pulls/${number}`;
  const html = `${at.web}/${fullName(repository)}/pull/${number}#pullrequestreview-${id}`;
  return {
    id,
    node_id: nodeId('PullRequestReview', id),
    user: userShape(author, at),
    body,
    state,
    html_url: html,
    pull_request_url: pull,
    _links: { html: link(html), pull_request: link(pull) },
    submitted_at: time(when),
    commit_id: sha,
    author_association: 'NONE',
  };
}

export function reviewCommentShape(
  { id, path, line, body, hunk }: ReviewComment,
  review: Review,
  repository: Repository,
  at: Addresses,
): Schema<'review-comment'> {
  const of = `${at.api}/repos/${fullName(repository)}/pulls`;
  const html = `${at.web}/${fullName(repository)}/pull/${review.number}#discussion_r${id}`;
  const pull = `${of}/${review.number}`;
  const self = `${of}/comments/${id}`;
  return {
    url: self,
    pull_request_review_id: review.id,
    id,
    node_id: nodeId('PullRequestReviewComment', id),
    diff_hunk: hunk,
    path,
    position: 1,
    original_position: 1,
    commit_id: review.sha,
    original_commit_id: review.sha,
    user: userShape(review.author, at),
    body,
    created_at: time(review.at),
    updated_at: time(review.at),
    html_url: html,
    pull_request_url: pull,
    author_association: 'NONE',
    _links: { self: link(self), html: link(html), pull_request: link(pull) },
    side: 'RIGHT',
    line,
    original_line: line,
    subject_type: 'line',
  };
}

export function commentShape(
  { id, number, author, body, throughApp, createdAt, updatedAt }: PullComment,
  repository: Repository,
  state: State,
  at: Addresses,
): Schema<'issue-comment'> {
  const issues = `${at.api}/repos/${fullName(repository)}/issues`;
  return {
    id,
    node_id: nodeId('IssueComment', id),
    url: `${issues}/comments/${id}`,
    body,
    html_url: `${at.web}/${fullName(repository)}/pull/${number}#issuecomment-${id}`,
    user: userShape(author, at),
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    issue_url: `${issues}/${number}`,
    author_association: 'NONE',
    performed_via_github_app: throughApp ? appShape(state, at) : null,
  };
}

/** GitHub's older names of roles have neither `maintain` nor `triage`. */
export const permissionShape = (
  role: RoleThere,
  account: Account,
  at: Addresses,
): Schema<'repository-collaborator-permission'> => ({
  permission: role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role,
  role_name: role,
  user: { ...userShape(account, at), role_name: role },
});
