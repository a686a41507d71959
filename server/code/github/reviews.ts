import { unlessGone } from '../hosts/host-error.ts';
import { shownText } from '../hosts/shown-text.ts';
import type { GitHub } from './app.ts';
import { mentions } from './mentions.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';
import { GITHUB_PAGE } from './scan.ts';

/** A review, or a comment in the conversation of a pull request, by its number on GitHub. */
export interface NamedReview {
  kind: 'review' | 'comment';
  id: number;
  /** The number of the pull request. */
  pull: number;
}

/** What someone with write access has written to the App. */
export interface HostReview {
  login: string;
  /** The number of the author's account. */
  authorId: number;
  verdict: 'approved' | 'changes_requested' | null;
  text: string;
  comments: LineComment[];
}

interface LineComment {
  path: string;
  line: number | null;
  /** The last lines of the difference that GitHub shows above it. */
  hunk: string;
  text: string;
}

/** Of each text, so that the message of all of them stays one that a person could have written. */
const MOST = { comments: 30, text: 20_000, comment: 2_000, hunkLines: 8, hunk: 800, path: 1_000 };

/**
 * What a review or a comment says now, if it mentions the App and its author may write to the
 * repository. Undefined otherwise: for one that is deleted, and for those of the App itself and of
 * other bots. Throws a HostError.
 */
export async function readReview(
  github: GitHub,
  repository: GitHubRepository,
  of: NamedReview,
): Promise<HostReview | undefined> {
  const read =
    of.kind === 'review'
      ? await readOne(github, repository, of)
      : await readComment(github, repository, of);
  if (read === undefined) return undefined;
  const texts = [read.text, ...read.comments.map(({ text }) => text)];
  if (!texts.some((text) => text.includes('@'))) return undefined;
  const { data: app } = await github.app.request('GET /app');
  const slug = app?.slug;
  if (slug === undefined || !texts.some((text) => mentions(text, slug))) return undefined;
  if (!(await mayWrite(github, repository, read.login))) return undefined;
  return read;
}

const pullsOf = (github: GitHub, repository: GitHubRepository) =>
  inRepository(github, repository, { pull_requests: 'read' });

async function readOne(
  github: GitHub,
  repository: GitHubRepository,
  { id, pull }: NamedReview,
): Promise<HostReview | undefined> {
  const api = pullsOf(github, repository);
  const of = { ...named(repository), pull_number: pull, review_id: id };
  const path = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
  const review = (await unlessGone(() => api.request(`GET ${path}`, of)))?.data;
  const author = personOf(review?.user);
  if (review === undefined || author === undefined || review.state === 'PENDING') return undefined;
  const list = { ...of, per_page: GITHUB_PAGE };
  const comments = (await unlessGone(() => api.request(`GET ${path}/comments`, list)))?.data ?? [];
  const verdict = VERDICTS[review.state] ?? null;
  return {
    ...author,
    verdict,
    text: shownText(review.body, MOST.text),
    comments: comments
      .slice(0, MOST.comments)
      .map(({ path, line, original_line, diff_hunk, body }) => ({
        path: shownText(path, MOST.path),
        line: line ?? original_line ?? null,
        hunk: endOf(diff_hunk),
        text: shownText(body, MOST.comment),
      })),
  };
}

const VERDICTS: Record<string, HostReview['verdict']> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
};

async function readComment(
  github: GitHub,
  repository: GitHubRepository,
  { id, pull }: NamedReview,
): Promise<HostReview | undefined> {
  const path = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const of = { ...named(repository), comment_id: id };
  const comment = (await unlessGone(() => pullsOf(github, repository).request(path, of)))?.data;
  const author = personOf(comment?.user);
  if (comment === undefined || author === undefined) return undefined;
  // What an App writes for a person is an App's all the same.
  if (comment.performed_via_github_app) return undefined;
  if (!comment.issue_url.endsWith(`/${pull}`)) return undefined;
  return { ...author, verdict: null, text: shownText(comment.body ?? '', MOST.text), comments: [] };
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

const endOf = (hunk: string): string =>
  shownText(hunk.split('\n').slice(-MOST.hunkLines).join('\n'), MOST.hunk);
