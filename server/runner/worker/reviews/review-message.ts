import type { HostReview } from '../../../code/index.ts';
import { named, quoted } from '../../../tasks/index.ts';

/** What a message for the agent is made of. `known`: whether the author is someone of the project. */
export interface WrittenReview extends Pick<HostReview, 'login' | 'verdict' | 'text' | 'comments'> {
  kind: 'review' | 'comment';
  known: boolean;
}

/** Characters of a message, as of one that a person writes here. */
const LONGEST = 100_000;

/** The message of a review on GitHub: whose it is, then what it says, each line quoted. */
export function reviewMessage({
  kind,
  login,
  known,
  verdict,
  text,
  comments,
}: WrittenReview): string {
  const parts = [
    `From a ${kind === 'review' ? 'review of' : 'comment on'} the pull request on GitHub, by ` +
      `@${login}${known ? '' : ', who may write to the repository there and has no account here'}.` +
      `${verdict === null ? '' : ` ${VERDICTS[verdict]}`}`,
    ...(text.trim() === '' ? [] : [quoted(text.trim())]),
    ...comments.map(({ path, line, hunk, text }) => {
      const where = `About ${named(path)}${line === null ? '' : `, line ${line}`}:`;
      const shown = hunk.trim() === '' ? [] : [quoted(hunk)];
      return [where, ...shown, 'They say:', quoted(text)].join('\n\n');
    }),
  ];
  return parts.join('\n\n').slice(0, LONGEST).toWellFormed();
}

const VERDICTS = {
  approved: 'It approves the changes.',
  changes_requested: 'It requests changes.',
};
