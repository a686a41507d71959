import { nodeId } from '../shapes/accounts.ts';
import { commentShape, reviewCommentShape, reviewShape } from '../shapes/reviews.ts';
import type { PullComment, Repository, Review, ReviewComment, State } from '../state.ts';
import { common } from './account-payloads.ts';
import { emitIn } from './events.ts';
import type { CommentPayload } from './payloads.ts';

/** Events of reviews and comments: without most of what GitHub repeats of the pull request. */

const briefly = ({ pulls }: Repository, number: number) => {
  const { id = 0, title = '' } = pulls.get(number) ?? {};
  return { id, node_id: nodeId('PullRequest', id), number, title };
};

export function reviewEvent(state: State, repository: Repository, review: Review): void {
  emitIn(state, repository, 'pull_request_review', (installation) => ({
    ...common(state, repository, installation, review.author),
    action: 'submitted',
    pull_request: briefly(repository, review.number),
    review: reviewShape(review, repository, state.at),
  }));
}

export function reviewCommentEvent(
  state: State,
  repository: Repository,
  review: Review,
  comment: ReviewComment,
): void {
  emitIn(state, repository, 'pull_request_review_comment', (installation) => ({
    ...common(state, repository, installation, review.author),
    action: 'created',
    pull_request: briefly(repository, review.number),
    comment: reviewCommentShape(comment, review, repository, state.at),
  }));
}

export function commentEvent(
  state: State,
  repository: Repository,
  comment: PullComment,
  action: CommentPayload['action'],
): void {
  const { number } = comment;
  const { title } = briefly(repository, number);
  const url = `${state.at.api}/repos/${repository.owner.login}/${repository.name}/pulls/${number}`;
  const isPull = repository.pulls.has(number);
  emitIn(state, repository, 'issue_comment', (installation) => ({
    ...common(state, repository, installation, comment.author),
    action,
    issue: { number, title, ...(isPull ? { pull_request: { url } } : {}) },
    comment: commentShape(comment, repository, state, state.at),
  }));
}
