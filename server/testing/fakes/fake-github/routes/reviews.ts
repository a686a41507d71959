import { pageOf } from '../pages.ts';
import { errorBody, notFound } from '../refusals.ts';
import { addComment } from '../review-controls.ts';
import { type InRepository, repositoryRoute } from '../router.ts';
import {
  commentShape,
  permissionShape,
  reviewCommentShape,
  reviewShape,
} from '../shapes/reviews.ts';
import { accountOf, type Review } from '../state.ts';

const REVIEWS = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const REVIEW = `${REVIEWS}/{review_id}` as const;
const COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments';

/** Reviews and comments of pull requests, and who may do what in a repository. */
export const REVIEW_ROUTES = [
  repositoryRoute('get', REVIEWS, { pull_requests: 'read' })((call) => {
    const { repository, at, query, self, params } = call;
    const all = [...repository.reviews.values()].filter(
      ({ number }) => number === Number(params.pull_number),
    );
    const { items, headers } = pageOf(all, query, self);
    const body = items.map((each) => reviewShape(each, repository, at));
    return { status: 200, body, headers };
  }),

  repositoryRoute('get', REVIEW, { pull_requests: 'read' })((call) => {
    const review = reviewOf(call);
    if (review === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    return { status: 200, body: reviewShape(review, call.repository, call.at) };
  }),

  repositoryRoute('get', `${REVIEW}/comments`, { pull_requests: 'read' })((call) => {
    const { repository, at, query, self } = call;
    const review = reviewOf(call);
    if (review === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    const { items, headers } = pageOf(review.comments, query, self);
    const body = items.map((each) => reviewCommentShape(each, review, repository, at));
    return { status: 200, body, headers };
  }),

  repositoryRoute('get', '/repos/{owner}/{repo}/issues/comments/{comment_id}', [
    { issues: 'read' },
    { pull_requests: 'read' },
  ])(({ state, repository, at, params }) => {
    const comment = repository.comments.get(Number(params.comment_id));
    if (comment === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    return { status: 200, body: commentShape(comment, repository, state, at) };
  }),

  repositoryRoute('get', COMMENTS, { pull_requests: 'read' })((call) => {
    const { state, repository, at, query, self, params } = call;
    const since = Date.parse(query.get('since') ?? '') || 0;
    const all = [...repository.comments.values()].filter(
      ({ number, updatedAt }) => number === Number(params.issue_number) && updatedAt >= since,
    );
    const { items, headers } = pageOf(all, query, self);
    const body = items.map((each) => commentShape(each, repository, state, at));
    return { status: 200, body, headers };
  }),

  repositoryRoute('post', COMMENTS, { pull_requests: 'write' })((call) => {
    const { state, repository, at, params, body } = call;
    const number = Number(params.issue_number);
    if (!repository.pulls.has(number)) throw notFound();
    const given = { number, author: state.bot, body: String(body.body), throughApp: true };
    const shown = commentShape(addComment(state, repository, given), repository, state, at);
    return { status: 201, body: shown, headers: { location: shown.url } };
  }),

  repositoryRoute('get', '/repos/{owner}/{repo}/collaborators/{username}/permission', {
    metadata: 'read',
  })(({ state, repository, at, params }) => {
    const login = params.username ?? '';
    const role = repository.roles.get(login.toLowerCase()) ?? 'none';
    return { status: 200, body: permissionShape(role, accountOf(state, login, 'User'), at) };
  }),
];

const reviewOf = ({ repository, params }: InRepository): Review | undefined => {
  const review = repository.reviews.get(Number(params.review_id));
  return review?.number === Number(params.pull_number) ? review : undefined;
};
