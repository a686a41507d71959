import { asName } from '../http/input/names.ts';

const LONGEST_TITLE = 300;

/**
 * The title of a task that was given none: the first line of its message with something visible on
 * it, without characters that no title may contain, cut at 300 code points.
 */
export function titleOf(message: string): string {
  for (const line of message.split(/[\r\n]+/)) {
    const text = asName(line.replaceAll(/\s+/g, ' '));
    if (text !== '') return cut(text);
  }
  return 'Untitled';
}

function cut(text: string): string {
  const points = Array.from(text);
  if (points.length <= LONGEST_TITLE) return text;
  return `${asName(points.slice(0, LONGEST_TITLE - 1).join(''))}…`;
}
