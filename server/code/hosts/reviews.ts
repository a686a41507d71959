import type { HostedRepository } from '../../access/hosted-repository.ts';
import { mentions } from './mentions.ts';
import { shownText } from './shown-text.ts';

/** A review, or a comment on a pull request, by its number on the host. */
export interface NamedReview {
  kind: 'review' | 'comment';
  id: number;
  /** Of a comment that answers one on a line, where that has no review of its own: whose it has. */
  review?: number;
}

/** One that was written, and when, in milliseconds by the clock of the host. */
export interface Written extends NamedReview {
  at: number;
}

/** What someone has written to the App, or to the account of a connection. */
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
  /** The last lines of the difference that the host shows above it. */
  hunk: string;
  text: string;
}

/** A repository, and the number of a pull request in it. */
export interface NumberedPull extends HostedRepository {
  number: number;
}

/** What people write about pull requests, as a host has it. Each call throws a HostError. */
export interface HostReviews {
  /** Whether webhooks name what was written; otherwise, it is looked for once one has come. */
  readonly areNamed: boolean;
  /** What may concern this server, and when the host has answered, by its clock. */
  writtenSince(pull: NumberedPull, since: number): Promise<{ asked: number; written: Written[] }>;
  /** What it says now. Undefined for what is gone, and for what this server or a bot has written. */
  read(pull: NumberedPull, of: NamedReview): Promise<HostReview | undefined>;
  /** The name by which people address this server there. */
  name(repository: HostedRepository): Promise<string | undefined>;
  /** Whether someone may write to the repository there. */
  mayWrite(repository: HostedRepository, login: string): Promise<boolean>;
  /** Whether this server has written a comment with this in it, since then. */
  hasPosted(pull: NumberedPull, part: string, since: Date): Promise<boolean>;
  post(pull: NumberedPull, text: string): Promise<void>;
}

/** Of each text, so that the message of all of them stays one that a person could have written. */
const MOST = { comments: 30, text: 20_000, comment: 2_000, hunkLines: 8, hunk: 800, path: 1_000 };

/**
 * What a review or a comment says now, if it mentions this server and its author may write to the
 * repository. Throws a HostError.
 */
export async function readReview(
  reviews: HostReviews,
  pull: NumberedPull,
  of: NamedReview,
): Promise<HostReview | undefined> {
  const found = await reviews.read(pull, of);
  if (found === undefined) return undefined;
  const read = shown(found);
  const texts = [read.text, ...read.comments.map(({ text }) => text)];
  if (!texts.some((text) => text.includes('@'))) return undefined;
  const name = await reviews.name(pull);
  if (name === undefined || !texts.some((text) => mentions(text, name))) return undefined;
  if (!(await reviews.mayWrite(pull, found.login))) return undefined;
  return read;
}

const shown = ({ login, text, comments, ...review }: HostReview): HostReview => ({
  ...review,
  login: login.slice(0, 100),
  text: shownText(text, MOST.text),
  comments: comments.slice(0, MOST.comments).map(({ path, line, hunk, text }) => ({
    path: shownText(path, MOST.path),
    line,
    hunk: shownText(hunk.split('\n').slice(-MOST.hunkLines).join('\n'), MOST.hunk),
    text: shownText(text, MOST.comment),
  })),
});
