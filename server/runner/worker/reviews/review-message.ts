import type { HostReview } from '../../../code/index.ts';
import { named, quoted } from '../../../tasks/index.ts';

/** What a message for the agent is made of. `known`: whether the author is someone of the project. */
export interface WrittenReview extends Pick<HostReview, 'login' | 'verdict' | 'text' | 'comments'> {
  host: 'github' | 'gitea';
  kind: 'review' | 'comment';
  known: boolean;
}

/** Characters of a message, as of one that a person writes here. */
const LONGEST = 100_000;

/** The message of a review on another host: whose it is, then what it says, each line quoted. */
export function reviewMessage({
  host,
  kind,
  login,
  known,
  verdict,
  text,
  comments,
}: WrittenReview): string {
  const parts = [
    `From a ${kind === 'review' ? 'review of' : 'comment on'} the pull request on ${NAMES[host]}, by ` +
      `@${login}${known ? '' : UNKNOWN[host]}.` +
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

const NAMES = { github: 'GitHub', gitea: 'Gitea' };

const UNKNOWN = {
  github: ', who may write to the repository there and has no account here',
  gitea: ', who may write to the repository there',
};

const VERDICTS = {
  approved: 'It approves the changes.',
  changes_requested: 'It requests changes.',
};
