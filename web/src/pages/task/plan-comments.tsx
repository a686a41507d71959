import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import type { Lines } from '../../ui/markdown/tree.ts';
import { Section } from '../../ui/page.tsx';
import { rangeWords } from './code/rows.ts';
import { CommentCard } from './comment-card.tsx';

export type Comment = components['schemas']['PlanComment'];

/** Where the lines of a comment are in the version that is shown; undefined where they are not. */
export function linesNow(comment: Comment, shown: number, latest: number): Lines | undefined {
  const { version, start_line, end_line, place } = comment;
  if (version === shown) return [start_line, end_line];
  const { current_start_line: start, current_end_line: end } = comment;
  if (shown !== latest || place === 'outdated' || start === undefined || end === undefined)
    return undefined;
  return [start, end];
}

/** A comment on the plan; `elsewhere`: it does not stand beside its lines. */
export function PlanComment({
  comment,
  elsewhere = false,
}: {
  comment: Comment;
  elsewhere?: boolean;
}): ReactNode {
  const { id: comment_id, task_id, place, version, start_line, end_line } = comment;
  const { current_start_line = start_line, current_end_line = end_line } = comment;
  const outdated = place === 'outdated';
  const names = { task_id, comment_id };
  const now = { start: current_start_line, end: current_end_line };
  const about = rangeWords(outdated ? { start: start_line, end: end_line } : now);
  return (
    <CommentCard
      comment={comment}
      about={about}
      resolve={(resolved) =>
        guildhall.put('/api/tasks/{task_id}/plan/comments/{comment_id}', {
          ...names,
          body: { resolved },
        })
      }
      remove={() => guildhall.delete('/api/tasks/{task_id}/plan/comments/{comment_id}', names)}
      lead={
        elsewhere && (
          <p className="text-xs text-muted">
            {outdated ? `Outdated: ${about} of version ${version}, changed since` : `On ${about}`}
          </p>
        )
      }
    />
  );
}

/** Comments that do not stand in the plan; resolved ones are folded. */
export function OtherComments({
  comments,
  resolved,
}: {
  comments: readonly Comment[];
  resolved: readonly Comment[];
}): ReactNode {
  if (comments.length + resolved.length === 0) return null;
  return (
    <Section title="Other comments">
      {comments.map((comment) => (
        <PlanComment key={comment.id} comment={comment} elsewhere />
      ))}
      {resolved.length > 0 && (
        <details>
          <summary className="text-muted">{resolved.length} resolved</summary>
          <div className="flex flex-col gap-2 pt-2">
            {resolved.map((comment) => (
              <PlanComment key={comment.id} comment={comment} elsewhere />
            ))}
          </div>
        </details>
      )}
    </Section>
  );
}
