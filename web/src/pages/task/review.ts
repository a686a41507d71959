import { useQuery } from '@tanstack/react-query';
import { diffCommentsQuery, openCommentsQuery } from '../../data/task.ts';
import { rangeWords } from './code/rows.ts';
import type { Task } from './states.ts';

/** A comment that the agent is told with what it is sent. */
interface Collected {
  id: string;
  where: string;
  text: string;
}

/** Comments that wait to be sent: those on the plan, while it waits, and those on the code. */
export interface Review {
  plan: readonly Collected[];
  code: readonly Collected[];
}

export function useReview(task: Task): Review {
  const asks = task.status === 'awaiting_approval';
  const unsent = task.available_actions.includes('send_diff_comments');
  const plan = useQuery({ ...openCommentsQuery(task.id), enabled: asks });
  const code = useQuery({ ...diffCommentsQuery(task.id), enabled: unsent });
  const said = (asks ? plan.data : undefined) ?? [];
  const onCode = (unsent ? code.data : undefined) ?? [];
  return {
    plan: said.map(({ id, text, version, ...comment }) => {
      const { start_line, end_line, current_start_line, current_end_line } = comment;
      const now = { start: current_start_line ?? start_line, end: current_end_line ?? end_line };
      return { id, text, where: `Plan, ${rangeWords(now)}` };
    }),
    code: onCode
      .filter(({ resolved, message_number }) => !resolved && message_number === undefined)
      .map(({ id, text, path, line, start_line = line }) => ({
        id,
        text,
        where: `${path}, ${rangeWords({ start: start_line, end: line })}`,
      })),
  };
}

/** The name of the button that sends them, such as `Ask for changes (3)`. */
export const askLabel = ({ plan, code }: Review): string => {
  const count = plan.length + code.length;
  return count === 0 ? 'Ask for changes' : `Ask for changes (${count})`;
};

/** How many comments the agent is told with what it is sent, as a sentence with a space before. */
export const goAlong = (comments: number): string =>
  comments === 0
    ? ''
    : ` ${comments === 1 ? 'One open comment goes' : `${comments} open comments go`} along.`;
