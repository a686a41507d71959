import type { ReactNode } from 'react';
import { guildhall } from '../../../data/api.ts';
import { CommentCard } from '../comment-card.tsx';
import { CommentForm } from '../on-demand.tsx';
import type { Comment } from './commented.ts';
import { type LineRange, rangeOf, rangeText, rangeWords } from './rows.ts';

const LONGEST_LINE = 2_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the API takes none but tabs
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

export const inWords = ({ side, ...lines }: Pick<LineRange, 'side' | 'start' | 'end'>): string =>
  `${rangeWords(lines)}${side === 'old' ? ' before the change' : ''}`;

/** The name of a comment on these lines among the drafts of a task. */
export const fieldOf = (range: LineRange): string => `code ${range.path} ${rangeText(range)}`;

export const rangeOfField = (field: string): LineRange | undefined => {
  const [, path, lines] = /^code (.+) (\S+)$/s.exec(field) ?? [];
  return rangeOf(path, lines);
};

/** Where a person writes about the lines that are chosen. */
export function CommentBox({
  taskId,
  range,
  commit,
  lineText,
  onDone,
}: {
  taskId: string;
  range: LineRange;
  commit: string;
  /** What the last of the lines says. */
  lineText: string;
  onDone: () => void;
}): ReactNode {
  const { path, side, start, end } = range;
  return (
    <CommentForm
      taskId={taskId}
      about={inWords(range)}
      field={fieldOf(range)}
      lineText={lineText}
      onDone={onDone}
      send={(text) =>
        guildhall.post('/api/tasks/{task_id}/diff-comments', {
          task_id: taskId,
          body: {
            commit,
            path,
            side,
            ...(start === end ? {} : { start_line: start }),
            line: end,
            line_text: Array.from(lineText.replace(CONTROL, ' ')).slice(0, LONGEST_LINE).join(''),
            text,
          },
        })
      }
    />
  );
}

/** What is said about lines; `elsewhere`: these do not stand above. */
export const Comments = ({
  comments,
  elsewhere = false,
}: {
  comments: readonly Comment[];
  elsewhere?: boolean;
}): ReactNode =>
  comments.map((comment) => <Shown key={comment.id} comment={comment} elsewhere={elsewhere} />);

function Shown({ comment, elsewhere }: { comment: Comment; elsewhere: boolean }): ReactNode {
  const { id: comment_id, task_id, path, side, place, line, start_line = line } = comment;
  const names = { task_id, comment_id };
  const about = inWords({ side, start: start_line, end: line });
  const sent = comment.message_number === undefined ? 'not sent' : 'sent';
  const several = !elsewhere && start_line !== line ? `, on ${line - start_line + 1} lines` : '';
  return (
    <CommentCard
      comment={comment}
      about={about}
      note={`${sent}${several}`}
      resolve={(resolved) =>
        guildhall.put('/api/tasks/{task_id}/diff-comments/{comment_id}', {
          ...names,
          body: { resolved },
        })
      }
      remove={() => guildhall.delete('/api/tasks/{task_id}/diff-comments/{comment_id}', names)}
      lead={
        elsewhere && (
          <>
            <p className="text-xs text-muted wrap-anywhere">
              {place === 'outdated' && 'Outdated: '}
              <code className="font-mono">{path}</code>, {about}
            </p>
            <pre className="overflow-x-auto py-1 font-mono text-xs text-muted">
              {comment.line_text.slice(0, 300)}
            </pre>
          </>
        )
      }
    />
  );
}
