import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { accountQuery } from '../../data/account.ts';
import { guildhall } from '../../data/api.ts';
import { diffCommentsQuery, refreshTask } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextArea, TextField } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import type { Line, LinePlace } from './diff-lines.tsx';
import type { Task } from './states.ts';

type Comment = components['schemas']['DiffComment'];

interface Commented {
  task: Task;
  lines: readonly Line[];
  /** The commits that are compared. */
  commits: Record<LinePlace['side'], string>;
  /** Where a comment is being written. */
  chosen: LinePlace | undefined;
  choose: (at: LinePlace | undefined) => void;
}

/** What people have noted beside lines of the code; resolved ones are folded. */
export function DiffComments({ task, lines, commits, chosen, choose }: Commented): ReactNode {
  const comments = useQuery(diffCommentsQuery(task.id));
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const open = comments.data?.filter(({ resolved }) => !resolved) ?? [];
  const resolved = comments.data?.filter((comment) => comment.resolved) ?? [];
  const unsent = open.filter(({ message_number }) => message_number === undefined).length;
  const may = task.available_actions.includes('create_diff_comment');
  const first = lines.find(({ at }) => at !== undefined)?.at;
  if (!may && open.length + resolved.length === 0) return null;
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await guildhall.post('/api/tasks/{task_id}/diff-comments/send', {
        task_id: task.id,
        body: {},
      });
    } catch (refusal) {
      setError(refusal);
    }
    await refreshTask(task.id);
    setBusy(false);
  };
  return (
    <Section
      title={`Comments (${open.length})`}
      actions={
        <>
          {may && unsent > 0 && (
            <Button look="primary" busy={busy} onClick={() => void send()}>
              {unsent === 1 ? 'Send 1 comment' : `Send ${unsent} comments`}
            </Button>
          )}
          {may && chosen === undefined && first !== undefined && (
            <Button onClick={() => choose(first)}>Comment</Button>
          )}
        </>
      }
    >
      {comments.error && <Failure error={comments.error} retry={() => void comments.refetch()} />}
      {error !== undefined && <Failure error={error} />}
      {chosen !== undefined && (
        <NewComment
          key={`${chosen.path} ${chosen.side} ${chosen.line}`}
          task={task}
          lines={lines}
          commits={commits}
          chosen={chosen}
          choose={choose}
        />
      )}
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

const LONGEST_LINE = 2_000;

function NewComment({
  task,
  lines,
  commits,
  chosen,
  choose,
}: Commented & { chosen: LinePlace }): ReactNode {
  const [unknown, setUnknown] = useState(false);
  const paths = [...new Set(lines.flatMap(({ at }) => (at === undefined ? [] : [at.path])))];
  return (
    <Form
      submit="Comment"
      onCancel={() => choose(undefined)}
      onSubmit={async ({ path = '', side, line, text = '' }) => {
        const found = lines.find(
          ({ at }) => at?.path === path && at.side === side && at.line === Number(line),
        );
        setUnknown(found === undefined);
        if (found?.at === undefined) return;
        await guildhall.post('/api/tasks/{task_id}/diff-comments', {
          task_id: task.id,
          body: {
            ...found.at,
            commit: commits[found.at.side],
            line_text: Array.from(found.text).slice(0, LONGEST_LINE).join(''),
            text,
          },
        });
        await refreshTask(task.id);
        choose(undefined);
      }}
    >
      {unknown && (
        <Refusal>This line is not among those that are shown below: choose another.</Refusal>
      )}
      <SelectField
        name="path"
        label="File"
        defaultValue={chosen.path}
        options={paths.map((path) => ({ value: path, label: path }))}
      />
      <div className="flex gap-3">
        <SelectField
          name="side"
          label="Side"
          defaultValue={chosen.side}
          options={[
            { value: 'new', label: 'With this task' },
            { value: 'old', label: 'Before it' },
          ]}
        />
        <TextField name="line" label="Line" type="number" min={1} defaultValue={chosen.line} />
      </div>
      <TextArea name="text" label="Comment" required maxLength={10_000} />
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
  const account = useQuery(accountQuery);
  const { id: comment_id, task_id, path, side, place, line, current_line = line } = comment;
  const run = async (act: () => PromiseLike<unknown>) => {
    setError(undefined);
    try {
      await act();
      await refreshTask(task_id);
    } catch (refusal) {
      setError(refusal);
    }
  };
  const names = { task_id, comment_id };
  return (
    <article className="rounded-box border border-line p-3">
      <p className="text-xs text-muted wrap-anywhere">
        <code className="font-mono">{path}</code>, line {place === 'outdated' ? line : current_line}
        {side === 'old' && ' before this task'}
        {place === 'outdated' && ', changed since'} ·{' '}
        {comment.message_number === undefined ? 'not sent' : 'sent'} ·{' '}
        <Time at={comment.created_at} />
      </p>
      <pre className="overflow-x-auto py-1 font-mono text-xs text-muted">
        {comment.line_text.slice(0, 300)}
      </pre>
      <p dir="auto" className="py-1 whitespace-pre-wrap wrap-anywhere">
        {comment.text}
      </p>
      {error !== undefined && <Failure error={error} />}
      <Button
        look="quiet"
        onClick={() =>
          void run(() =>
            guildhall.put('/api/tasks/{task_id}/diff-comments/{comment_id}', {
              ...names,
              body: { resolved: !comment.resolved },
            }),
          )
        }
      >
        {comment.resolved ? 'Open again' : 'Resolve'}
      </Button>
      {account.data?.id === comment.author_user_id && (
        <Button
          look="quiet"
          onClick={() =>
            void run(() =>
              guildhall.delete('/api/tasks/{task_id}/diff-comments/{comment_id}', names),
            )
          }
        >
          Delete
        </Button>
      )}
    </article>
  );
}
