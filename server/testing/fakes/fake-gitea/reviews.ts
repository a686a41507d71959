import {
  type Answer,
  type Call,
  type Handler,
  inRepository,
  NOT_FOUND,
  pageOf,
  refusal,
  shownTime,
} from './calls.ts';
import {
  type Comment,
  type Line,
  type Pull,
  type Repository,
  type Review,
  type State,
  shownPerson,
} from './state.ts';

/** What people write about pull requests. */
export const REVIEW_ROUTES: readonly [method: string, path: string, handler: Handler][] = [
  [
    'GET',
    '/repos/:/:/issues/:/comments',
    onPull(({ state, query }, repository, { number }) => {
      const since = Date.parse(query.get('since') ?? '') || 0;
      // Gitea takes no page here.
      const found = [...repository.comments.values()].filter(
        (each) => each.pull === number && wholeSecond(each.updatedAt) >= since,
      );
      return { status: 200, body: found.map((each) => shownComment(state, repository, each)) };
    }),
  ],
  [
    'POST',
    '/repos/:/:/issues/:/comments',
    onPull(({ state, by, body }, repository, pull) => {
      if (!body.body) return refusal(422, '[Body]: Required');
      const now = new Date();
      const comment: Comment = {
        id: state.nextComment++,
        pull: pull.number,
        by,
        body: String(body.body),
        createdAt: now,
        updatedAt: now,
      };
      repository.comments.set(comment.id, comment);
      pull.updatedAt = now;
      return {
        status: 201,
        body: shownComment(state, repository, comment),
        event: told(repository),
      };
    }),
  ],
  [
    'GET',
    '/repos/:/:/issues/comments/:',
    inRepository(({ state, params }, repository) => {
      const id = Number(params[0]);
      const comment = repository.comments.get(id);
      if (comment !== undefined)
        return { status: 200, body: shownComment(state, repository, comment) };
      // What is on a line is a comment as well, and none of the conversation.
      const isOnLine = [...repository.reviews.values()].some(({ lines }) =>
        lines.some((line) => line.id === id),
      );
      return isOnLine ? { status: 204 } : NOT_FOUND;
    }),
  ],
  [
    'PATCH',
    '/repos/:/:/issues/comments/:',
    inRepository(({ state, params, body }, repository) => {
      const comment = repository.comments.get(Number(params[0]));
      if (comment === undefined) return NOT_FOUND;
      comment.body = String(body.body);
      // The pull request has not changed by it.
      comment.updatedAt = new Date();
      return {
        status: 200,
        body: shownComment(state, repository, comment),
        event: told(repository),
      };
    }),
  ],
  [
    'DELETE',
    '/repos/:/:/issues/comments/:',
    inRepository(({ params }, repository) =>
      repository.comments.delete(Number(params[0]))
        ? { status: 204, event: told(repository) }
        : NOT_FOUND,
    ),
  ],
  [
    'GET',
    '/repos/:/:/pulls/:/reviews',
    onPull(({ state, query }, repository, { number }) => {
      const all = [...repository.reviews.values()].filter((each) => each.pull === number);
      const { from, to } = pageOf(query);
      return {
        status: 200,
        headers: { 'x-total-count': String(all.length) },
        body: all.slice(from, to).map((each) => shownReview(state, repository, each)),
      };
    }),
  ],
  ['POST', '/repos/:/:/pulls/:/reviews', onPull(writeReview)],
  [
    'GET',
    '/repos/:/:/pulls/:/reviews/:',
    onPull(({ state, params }, repository, { number }) => {
      const review = reviewOf(repository, number, params[0]);
      return review === undefined
        ? NOT_FOUND
        : { status: 200, body: shownReview(state, repository, review) };
    }),
  ],
  [
    'GET',
    '/repos/:/:/pulls/:/reviews/:/comments',
    onPull(({ params }, repository, { number }) => {
      const review = reviewOf(repository, number, params[0]);
      if (review === undefined) return NOT_FOUND;
      return { status: 200, body: review.lines.map((line) => shownLine(line, review)) };
    }),
  ],
];

function onPull(
  handle: (call: Call, repository: Repository, pull: Pull) => Answer | Promise<Answer>,
): Handler {
  return inRepository((call, repository) => {
    const [number, ...params] = call.params;
    const pull = repository.pulls.get(Number(number));
    return pull === undefined ? NOT_FOUND : handle({ ...call, params }, repository, pull);
  });
}

const told = (repository: Repository) => ({
  repository,
  name: 'pull_request_comment',
  header: 'issue_comment',
});

const reviewOf = ({ reviews }: Repository, pull: number, id: string | undefined) => {
  const review = reviews.get(Number(id));
  return review?.pull === pull ? review : undefined;
};

const REVIEW_EVENTS = {
  APPROVED: ['pull_request_review_approved', 'pull_request_approved'],
  REQUEST_CHANGES: ['pull_request_review_rejected', 'pull_request_rejected'],
  COMMENT: ['pull_request_review_comment', 'pull_request_comment'],
} as const;

function writeReview({ state, by, body }: Call, repository: Repository, pull: Pull): Answer {
  const now = new Date();
  const lines = (body.comments ?? []) as { path: string; new_position: number; body: string }[];
  const wanted = String(body.event ?? '');
  const isSubmitted = wanted in REVIEW_EVENTS;
  const review: Review = {
    id: state.nextReview++,
    pull: pull.number,
    by,
    state: isSubmitted ? (wanted as Review['state']) : 'PENDING',
    body: String(body.body ?? ''),
    createdAt: now,
    updatedAt: now,
    lines: lines.map(({ path, new_position, body }) => ({
      id: state.nextComment++,
      by,
      path,
      line: new_position,
      body,
      at: now,
    })),
  };
  // Its text is a comment of the conversation as well, which is not listed as one.
  state.nextComment += 1;
  repository.reviews.set(review.id, review);
  const shown = { status: 200, body: shownReview(state, repository, review) };
  if (review.state === 'PENDING') return shown;
  pull.updatedAt = now;
  const [name, header] = REVIEW_EVENTS[review.state];
  return { ...shown, event: { repository, name, header } };
}

/** What a person answers below a comment on a line becomes a part of that review. */
export function reply(
  state: State,
  repository: Repository,
  { review: id, by, body }: { review: number; by: string; body: string },
): NonNullable<Answer['event']> {
  const person = state.people.get(by);
  const review = repository.reviews.get(id);
  const pull = repository.pulls.get(review?.pull ?? 0);
  const [first] = review?.lines ?? [];
  if (person === undefined || first === undefined || pull === undefined)
    throw new Error(`There is no line for ${by} to answer in review ${id}`);
  const at = new Date();
  review?.lines.push({ ...first, id: state.nextComment++, by: person, body, at });
  pull.updatedAt = at;
  return told(repository);
}

const wholeSecond = (at: Date): number => Math.floor(at.getTime() / 1_000) * 1_000;

const addressOf = (state: State, { owner, name }: Repository, pull: number) =>
  `${state.url}/${owner}/${name}/pulls/${pull}`;

const shownComment = (state: State, repository: Repository, comment: Comment) => ({
  id: comment.id,
  html_url: `${addressOf(state, repository, comment.pull)}#issuecomment-${comment.id}`,
  pull_request_url: addressOf(state, repository, comment.pull),
  issue_url: '',
  user: shownPerson(comment.by),
  body: comment.body,
  created_at: shownTime(comment.createdAt),
  updated_at: shownTime(comment.updatedAt),
});

const shownReview = (state: State, repository: Repository, review: Review) => ({
  id: review.id,
  user: shownPerson(review.by),
  state: review.state,
  body: review.body,
  comments_count: review.lines.length,
  submitted_at: shownTime(review.createdAt),
  updated_at: shownTime(review.updatedAt),
  pull_request_url: addressOf(state, repository, review.pull),
});

const shownLine = ({ id, by, path, line, body, at }: Line, review: Review) => ({
  id,
  user: shownPerson(by),
  pull_request_review_id: review.id,
  path,
  position: line,
  original_position: 0,
  diff_hunk: `@@ -0,0 +1 @@\n+line`,
  body,
  created_at: shownTime(at),
  updated_at: shownTime(at),
});
