import { unlessGone } from '../hosts/host-error.ts';
import type {
  HostReview,
  HostReviews,
  NamedReview,
  NumberedPull,
  Written,
} from '../hosts/reviews.ts';
import { fields, type GiteaCall, idOf, items, part } from './api.ts';
import type { Gitea, GiteaAccount } from './open-gitea.ts';
import { GITEA_PAGE, inRepository } from './read-repository.ts';

/** Of reviews, which Gitea lists from the oldest on. */
const MOST_PAGES = 3;
/** The newest reviews whose comments on lines are looked at: Gitea lists those of each alone. */
const MOST_WITH_LINES = 30;

/** What people write on Gitea and Forgejo to the account of a connection. */
export const giteaReviews = (gitea: Gitea): HostReviews => ({
  areNamed: false,
  writtenSince: (pull, since) => writtenSince(gitea, pull, since),
  read: async (pull, of) => {
    const account = await gitea.account(pull.connectionId);
    const ask = await inRepository(gitea, pull);
    const read = of.kind === 'review' ? readOne : of.review ? readReply : readComment;
    const review = await read(ask, pull, of);
    // No person of a host has such a number: one that was deleted, or its own Actions.
    const byPerson = review !== undefined && review.authorId > 0;
    return account !== undefined && byPerson && review.authorId !== account.id ? review : undefined;
  },
  name: async ({ connectionId }) => (await gitea.account(connectionId))?.login,
  mayWrite: async (repository, login) => {
    const ask = await inRepository(gitea, repository);
    const path = `/collaborators/${part(login)}/permission`;
    const found = await unlessGone(() => ask({ path }));
    return ['owner', 'admin', 'write'].includes(String(fields(found?.data).permission));
  },
  hasPosted: async (pull, text, since) => {
    const account = await gitea.account(pull.connectionId);
    const ask = await inRepository(gitea, pull);
    const { data } = await ask(commentsOf(pull, since));
    return items(data).some(
      ({ user, body }) => idIn(user) === account?.id && String(body).includes(text),
    );
  },
  post: async (pull, body) => {
    const ask = await inRepository(gitea, pull);
    await ask({ method: 'POST', path: `/issues/${pull.number}/comments`, body: { body } });
  },
});

type Ask = Awaited<ReturnType<typeof inRepository>>;
type Fields = Record<string, unknown>;

/** All of them: Gitea has no pages here. */
const commentsOf = ({ number }: NumberedPull, since: Date): GiteaCall => ({
  path: `/issues/${number}/comments`,
  query: { since: since.toISOString() },
});

async function readOne(
  ask: Ask,
  { number }: NumberedPull,
  { id }: NamedReview,
): Promise<HostReview | undefined> {
  const review = await unlessGone(() => ask({ path: `/pulls/${number}/reviews/${id}` }));
  if (review === undefined || !isSubmitted(fields(review.data))) return undefined;
  const { user, state, body } = fields(review.data);
  const lines = await linesOf(ask, number, id);
  return {
    ...authorOf(user),
    verdict: VERDICTS[String(state)] ?? null,
    text: String(body ?? ''),
    comments: lines.filter((line) => isPartOf(line, fields(review.data))).map(shownLine),
  };
}

const VERDICTS: Record<string, HostReview['verdict']> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
};

/** The rest is not sent yet, or nothing that someone wrote. */
const isSubmitted = ({ state }: Fields): boolean =>
  ['APPROVED', 'REQUEST_CHANGES', 'COMMENT'].includes(String(state));

async function readComment(
  ask: Ask,
  { number }: NumberedPull,
  { id }: NamedReview,
): Promise<HostReview | undefined> {
  const found = await unlessGone(() => ask({ path: `/issues/comments/${id}` }));
  const { user, body, pull_request_url } = fields(found?.data);
  if (!String(pull_request_url ?? '').endsWith(`/pulls/${number}`)) return undefined;
  return { ...authorOf(user), verdict: null, text: String(body ?? ''), comments: [] };
}

/** An answer to a comment on a line: Gitea has it in the review of the one that it answers. */
async function readReply(
  ask: Ask,
  { number }: NumberedPull,
  { id, review = 0 }: NamedReview,
): Promise<HostReview | undefined> {
  const reply = (await linesOf(ask, number, review)).find((line) => line.id === id);
  if (reply === undefined) return undefined;
  return { ...authorOf(reply.user), verdict: null, text: '', comments: [shownLine(reply)] };
}

async function linesOf(ask: Ask, number: number, review: number): Promise<Fields[]> {
  const path = `/pulls/${number}/reviews/${review}/comments`;
  return items((await unlessGone(() => ask({ path })))?.data);
}

/** Others may answer within a review, and its author may later on: neither is a part of it. */
const isPartOf = (line: Fields, review: Fields): boolean =>
  idIn(line.user) === idIn(review.user) && timeOf(line.created_at) <= timeOf(review.updated_at);

const shownLine = ({ path, position, original_position, diff_hunk, body }: Fields) => ({
  path: String(path ?? ''),
  line: Number(position) || Number(original_position) || null,
  hunk: String(diff_hunk ?? ''),
  text: String(body ?? ''),
});

const idIn = (user: unknown): number => Number(fields(user).id ?? 0);
const timeOf = (value: unknown): number => Date.parse(String(value)) || 0;

const authorOf = (user: unknown): Pick<HostReview, 'login' | 'authorId'> => ({
  login: String(fields(user).login ?? ''),
  authorId: idIn(user),
});

async function writtenSince(
  gitea: Gitea,
  pull: NumberedPull,
  since: number,
): Promise<{ asked: number; written: Written[] }> {
  const account = await gitea.account(pull.connectionId);
  // Who is mentioned is not known, so what is written now is found once it is.
  if (account === undefined) return { asked: since, written: [] };
  const ask = await inRepository(gitea, pull);
  const { data, at } = await ask(commentsOf(pull, new Date(since)));
  const written = items(data)
    .filter((comment) => concerns(comment, account))
    .map(({ id, updated_at }): Written => named('comment', id, timeOf(updated_at)));
  for (const review of await newestReviews(ask, pull)) {
    const id = idOf(review.id, 'id of a review');
    const lines = Number(review.comments_count) > 0 ? await linesOf(ask, pull.number, id) : [];
    const parts = [review, ...lines.filter((line) => isPartOf(line, review))];
    if (parts.some((each) => concerns(each, account)))
      written.push(
        named('review', id, Math.max(...parts.map(({ updated_at }) => timeOf(updated_at)))),
      );
    for (const line of lines)
      if (!parts.includes(line) && concerns(line, account))
        written.push({ ...named('comment', line.id, timeOf(line.updated_at)), review: id });
  }
  return { asked: at ?? since, written: written.filter((each) => each.at >= since) };
}

const concerns = ({ user, body }: Fields, account: GiteaAccount): boolean =>
  idIn(user) > 0 && idIn(user) !== account.id && String(body).includes('@');

const named = (kind: NamedReview['kind'], id: unknown, at: number): Written => ({
  kind,
  id: idOf(id, `id of a ${kind}`),
  at,
});

/** Those that were submitted; of older ones, only those without comments on lines are left out. */
async function newestReviews(ask: Ask, { number }: NumberedPull): Promise<Fields[]> {
  const page = async (page: number) => {
    const query = { page, limit: GITEA_PAGE };
    const { data, total } = await ask({ path: `/pulls/${number}/reviews`, query });
    return { found: items(data), total: total ?? 0 };
  };
  const { found, total } = await page(1);
  // A server may allow less in a page.
  const last = Math.ceil(total / Math.max(found.length, 1));
  const all = [...found];
  for (let next = Math.max(2, last - MOST_PAGES + 1); next <= last; next++)
    all.push(...(await page(next)).found);
  let withLines = 0;
  return all
    .filter(isSubmitted)
    .toReversed()
    .filter(({ comments_count }) => Number(comments_count) === 0 || ++withLines <= MOST_WITH_LINES);
}
