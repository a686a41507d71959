import { unlessGone } from '../hosts/host-error.ts';
import type {
  HostReview,
  HostReviews,
  NamedReview,
  NumberedPull,
  Written,
} from '../hosts/reviews.ts';
import type { GitHub } from './app.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';
import { GITHUB_PAGE, hasNext } from './scan.ts';

/** Of comments that are new, of the end of the list of reviews, and of where an answer is searched. */
const MOST_PAGES = { comments: 10, reviews: 3, posted: 10 };

/** What people write on GitHub to the App. */
export const githubReviews = (github: GitHub): HostReviews => ({
  areNamed: true,
  writtenSince: (pull, since) => writtenSince(github, pull, since),
  read: (pull, of) =>
    of.kind === 'review' ? readOne(github, pull, of) : readComment(github, pull, of),
  name: async () => (await github.app.request('GET /app')).data?.slug,
  mayWrite: (repository, login) => mayWrite(github, repository, login),
  hasPosted: (pull, part, since) => hasPosted(github, pull, part, since),
  post: async (pull, body) => {
    const api = inRepository(github, pull, { pull_requests: 'write' });
    const of = { ...named(pull), issue_number: pull.number };
    await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...of, body });
  },
});

const pullsOf = (github: GitHub, repository: GitHubRepository) =>
  inRepository(github, repository, { pull_requests: 'read' });

async function readOne(
  github: GitHub,
  pull: NumberedPull,
  { id }: NamedReview,
): Promise<HostReview | undefined> {
  const api = pullsOf(github, pull);
  const of = { ...named(pull), pull_number: pull.number, review_id: id };
  const path = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
  const review = (await unlessGone(() => api.request(`GET ${path}`, of)))?.data;
  const author = personOf(review?.user);
  if (review === undefined || author === undefined || review.state === 'PENDING') return undefined;
  const list = { ...of, per_page: GITHUB_PAGE };
  const comments = (await unlessGone(() => api.request(`GET ${path}/comments`, list)))?.data ?? [];
  return {
    ...author,
    verdict: VERDICTS[review.state] ?? null,
    text: review.body,
    comments: comments.map(({ path, line, original_line, diff_hunk, body }) => ({
      path,
      line: line ?? original_line ?? null,
      hunk: diff_hunk,
      text: body,
    })),
  };
}

const VERDICTS: Record<string, HostReview['verdict']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
};

async function readComment(
  github: GitHub,
  pull: NumberedPull,
  { id }: NamedReview,
): Promise<HostReview | undefined> {
  const path = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const of = { ...named(pull), comment_id: id };
  const comment = (await unlessGone(() => pullsOf(github, pull).request(path, of)))?.data;
  const author = personOf(comment?.user);
  if (comment === undefined || author === undefined) return undefined;
  // What an App writes for a person is an App's all the same.
  if (comment.performed_via_github_app) return undefined;
  if (!comment.issue_url.endsWith(`/${pull.number}`)) return undefined;
  return { ...author, verdict: null, text: comment.body ?? '', comments: [] };
}

type Account = { login: string; id: number | bigint; type: string } | null | undefined;

/** The person of an account; undefined for bots. */
export const personOf = (user: Account): Pick<HostReview, 'login' | 'authorId'> | undefined =>
  user?.type === 'User'
    ? { login: user.login.slice(0, 100), authorId: Number(user.id) }
    : undefined;

/** Whether someone may write to the repository there. Throws a HostError. */
export async function mayWrite(
  github: GitHub,
  repository: GitHubRepository,
  username: string,
): Promise<boolean> {
  const api = inRepository(github, repository, { metadata: 'read' });
  const path = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const found = await unlessGone(() => api.request(path, { ...named(repository), username }));
  return ['admin', 'write'].includes(found?.data.permission ?? '');
}

async function writtenSince(
  github: GitHub,
  pull: NumberedPull,
  since: number,
): Promise<{ asked: number; written: Written[] }> {
  const { asked, comments } = await commentsSince(github, pull, since);
  const reviews = await reviewsSince(github, pull, since);
  return { asked, written: [...comments, ...reviews] };
}

async function commentsSince(github: GitHub, pull: NumberedPull, since: number) {
  const path = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const of = { ...named(pull), issue_number: pull.number, since: new Date(since).toISOString() };
  const comments: Written[] = [];
  let asked: number | undefined;
  for (let page = 1; page <= MOST_PAGES.comments; page++) {
    const list = { ...of, per_page: GITHUB_PAGE, page };
    const { data, headers } = await pullsOf(github, pull).request(path, list);
    asked ??= Date.parse(headers.date ?? '') || since;
    for (const { id, user, body, updated_at, performed_via_github_app } of data)
      if (user?.type === 'User' && !performed_via_github_app && body?.includes('@'))
        comments.push({ kind: 'comment', id: Number(id), at: Date.parse(updated_at) });
    if (!hasNext(headers)) break;
  }
  return { asked: asked ?? since, comments };
}

/** GitHub lists them from the oldest on, and takes no time to begin with. */
async function reviewsSince(github: GitHub, pull: NumberedPull, since: number): Promise<Written[]> {
  const api = pullsOf(github, pull);
  const path = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const of = { ...named(pull), pull_number: pull.number, per_page: GITHUB_PAGE };
  const first = await api.request(path, { ...of, page: 1 });
  const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1);
  const found = [...first.data];
  for (let page = Math.max(2, last - MOST_PAGES.reviews + 1); page <= last; page++)
    found.push(...(await api.request(path, { ...of, page })).data);
  return found.flatMap(({ id, user, state, submitted_at }) => {
    const at = Date.parse(submitted_at ?? '');
    return user?.type === 'User' && state !== 'PENDING' && at >= since
      ? { kind: 'review', id: Number(id), at }
      : [];
  });
}

async function hasPosted(
  github: GitHub,
  pull: NumberedPull,
  part: string,
  since: Date,
): Promise<boolean> {
  const api = inRepository(github, pull, { pull_requests: 'write' });
  const path = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const of = { ...named(pull), issue_number: pull.number, since: since.toISOString() };
  for (let page = 1; page <= MOST_PAGES.posted; page++) {
    const { data } = await api.request(path, { ...of, per_page: GITHUB_PAGE, page });
    if (data.some(({ user, body }) => user?.type === 'Bot' && body?.includes(part))) return true;
    if (data.length < GITHUB_PAGE) return false;
  }
  return false;
}
