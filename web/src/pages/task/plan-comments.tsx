import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { commentsQuery, refreshTask } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextArea, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

type Plan = components['schemas']['Plan'];
type Comment = components['schemas']['PlanComment'];

/** What people have noted beside lines of the plan; resolved ones are folded. */
export function PlanComments({ taskId, plan }: { taskId: string; plan: Plan }): ReactNode {
  const comments = useQuery(commentsQuery(taskId));
  const [writing, setWriting] = useState(false);
  const open = comments.data?.filter(({ resolved }) => !resolved) ?? [];
  const resolved = comments.data?.filter((comment) => comment.resolved) ?? [];
  const may = plan.available_actions.includes('create_plan_comment');
  if (!may && open.length + resolved.length === 0) return null;
  return (
    <Section
      title={`Comments (${open.length})`}
      actions={may && !writing && <Button onClick={() => setWriting(true)}>Comment</Button>}
    >
      {comments.error && <Failure error={comments.error} retry={() => void comments.refetch()} />}
      {writing && <NewComment taskId={taskId} plan={plan} onDone={() => setWriting(false)} />}
      {open.map((comment) => (
        <Bounded key={comment.id} comment={comment} />
      ))}
      {resolved.length > 0 && (
        <details>
          <summary className="text-muted">{resolved.length} resolved</summary>
          <div className="flex flex-col gap-2 pt-2">
            {resolved.map((comment) => (
              <Bounded key={comment.id} comment={comment} />
            ))}
          </div>
        </details>
      )}
    </Section>
  );
}

function NewComment({
  taskId,
  plan,
  onDone,
}: {
  taskId: string;
  plan: Plan;
  onDone: () => void;
}): ReactNode {
  const lines = plan.text.replace(/\n$/, '').split('\n').length;
  return (
    <Form
      submit="Comment"
      onCancel={onDone}
      onSubmit={async ({ text = '', start_line, end_line }) => {
        const start = Number(start_line);
        await guildhall.post('/api/tasks/{task_id}/plan/comments', {
          task_id: taskId,
          body: {
            version: plan.version,
            start_line: start,
            end_line: Math.max(start, Number(end_line)),
            text,
          },
        });
        await refreshTask(taskId);
        onDone();
      }}
    >
      <div className="flex gap-3">
        <TextField
          name="start_line"
          label="From line"
          type="number"
          min={1}
          max={lines}
          defaultValue={1}
        />
        <TextField
          name="end_line"
          label="To line"
          type="number"
          min={1}
          max={lines}
          defaultValue={1}
        />
      </div>
      <TextArea name="text" label="Comment" required />
    </Form>
  );
}

const Bounded = ({ comment }: { comment: Comment }): ReactNode => (
  <Boundary what="This comment" source={comment.text}>
    <Shown comment={comment} />
  </Boundary>
);

function Shown({ comment }: { comment: Comment }): ReactNode {
  const [error, setError] = useState<unknown>();
  const { id: comment_id, task_id, place, current_start_line, start_line, text } = comment;
  const resolve = async () => {
    setError(undefined);
    try {
      await guildhall.put('/api/tasks/{task_id}/plan/comments/{comment_id}', {
        task_id,
        comment_id,
        body: { resolved: !comment.resolved },
      });
      await refreshTask(task_id);
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <article className="rounded-box border border-line p-3">
      <p className="text-xs text-muted">
        {place === 'outdated'
          ? `Line ${start_line} of version ${comment.version}, changed since`
          : `Line ${current_start_line}`}{' '}
        · <Time at={comment.created_at} />
      </p>
      <p dir="auto" className="py-1 whitespace-pre-wrap">
        {text}
      </p>
      {error !== undefined && <Failure error={error} />}
      <Button look="quiet" onClick={() => void resolve()}>
        {comment.resolved ? 'Open again' : 'Resolve'}
      </Button>
    </article>
  );
}
