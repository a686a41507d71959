const LONGEST_TITLE = 300;

/**
 * The title of a task that was given none: the first line of its message with something on it, cut
 * at 300 code points.
 */
export function titleOf(message: string): string {
  const line = message.split(/[\r\n]+/).find((each) => each.trim() !== '') as string;
  const text = line.replaceAll(/\s+/g, ' ').trim().normalize('NFC');
  const points = [...text];
  return points.length <= LONGEST_TITLE
    ? text
    : `${points
        .slice(0, LONGEST_TITLE - 1)
        .join('')
        .trimEnd()}…`;
}
