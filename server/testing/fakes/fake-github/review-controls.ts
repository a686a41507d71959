import {
  accountOf,
  newId,
  type PullComment,
  type Repository,
  type Review,
  type RoleThere,
  type State,
} from './state.ts';
import { commentEvent, reviewCommentEvent, reviewEvent } from './webhooks/review-payloads.ts';

/** What people write about pull requests at GitHub, for tests. */
export interface ReviewControls {
  /** What someone may do in a repository; nothing before. */
  collaborate(repository: Repository, login: string, role: RoleThere): void;
  /** Someone submits a review, with its comments on lines. */
  review(repository: Repository, number: number, review: NewReview): Review;
  /** Someone, or a bot whose login ends in `[bot]`, writes into the conversation. */
  comment(
    repository: Repository,
    number: number,
    comment: { by: string; body: string; throughApp?: boolean },
  ): PullComment;
  editComment(repository: Repository, id: number, body: string): void;
  deleteComment(repository: Repository, id: number): void;
}

interface NewReview {
  by: string;
  body?: string;
  state?: Review['state'];
  comments?: { path: string; line: number; body: string; hunk?: string }[];
}

export const reviewControlsOf = (state: State): ReviewControls => ({
  collaborate: (repository, login, role) =>
    void repository.roles.set(accountOf(state, login, 'User').login.toLowerCase(), role),
  review(repository, number, { by, body = '', state: kind = 'COMMENTED', comments = [] }) {
    const review: Review = {
      id: newId(),
      number,
      author: accountOf(state, by, 'User'),
      body,
      state: kind,
      sha: repository.pulls.get(number)?.head.sha ?? '',
      at: state.now(),
      comments: comments.map(({ hunk = '@@ -1 +1 @@\n+line', ...comment }) => ({
        ...comment,
        hunk,
        id: newId(),
      })),
    };
    repository.reviews.set(review.id, review);
    touch(state, repository, number);
    reviewEvent(state, repository, review);
    for (const comment of review.comments) reviewCommentEvent(state, repository, review, comment);
    return review;
  },
  comment(repository, number, { by, body, throughApp = false }) {
    const author = accountOf(state, by, 'User');
    return addComment(state, repository, { number, author, body, throughApp });
  },
  editComment(repository, id, body) {
    const comment = repository.comments.get(id);
    if (comment === undefined) throw new Error(`There is no comment ${id}`);
    Object.assign(comment, { body, updatedAt: state.now() });
    touch(state, repository, comment.number);
    commentEvent(state, repository, comment, 'edited');
  },
  deleteComment(repository, id) {
    const comment = repository.comments.get(id);
    if (comment === undefined) throw new Error(`There is no comment ${id}`);
    repository.comments.delete(id);
    commentEvent(state, repository, comment, 'deleted');
  },
});

/** What is written about a pull request changes it. */
function touch(state: State, repository: Repository, number: number): void {
  const pull = repository.pulls.get(number);
  if (pull !== undefined) pull.updatedAt = state.now();
}

export function addComment(
  state: State,
  repository: Repository,
  given: Pick<PullComment, 'number' | 'author' | 'body' | 'throughApp'>,
): PullComment {
  const now = state.now();
  const comment = { ...given, id: newId(), createdAt: now, updatedAt: now };
  repository.comments.set(comment.id, comment);
  touch(state, repository, given.number);
  commentEvent(state, repository, comment, 'created');
  return comment;
}
