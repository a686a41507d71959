import { named, quoted } from '../quote.ts';

/** A comment on the code that the agent was not told of. */
export interface UnsentComment {
  id: string;
  author: string;
  commit: string;
  path: string;
  side: 'old' | 'new';
  /** Null for a comment on one line. */
  startLine: number | null;
  line: number;
  lineText: string;
  text: string;
}

/** Characters of a message. */
const LONGEST = 100_000;

/**
 * The message that tells comments, and which ones it tells: each whole, the first of them, as many
 * as fit. What people wrote is quoted, so that it cannot be taken for something else.
 */
export function commentsMessage(
  text: string | undefined,
  comments: readonly UnsentComment[],
): { text: string; told: UnsentComment[] } {
  const begin = text ?? 'These are comments on the code of this task. Heed each of them.';
  const told: UnsentComment[] = [];
  const parts = [begin];
  let room = LONGEST - begin.length;
  for (const comment of comments) {
    const part = partOf(comment);
    if (part.length + 2 > room) break;
    room -= part.length + 2;
    parts.push(part);
    told.push(comment);
  }
  return { text: parts.join('\n\n'), told };
}

function partOf(comment: UnsentComment): string {
  const { author, commit, path, side, startLine, line, lineText, text } = comment;
  const where = side === 'new' ? 'in' : 'before this task, in';
  const lines = startLine === null ? `line ${line}` : `lines ${startLine} to ${line}`;
  const place = `${lines} of ${named(path)}, ${where} commit ${commit.slice(0, 12)}`;
  // The last line is quoted within what is quoted.
  return `${named(author)} on ${place}:\n\n${quoted(quoted(lineText))}\n>\n${quoted(text)}`;
}
