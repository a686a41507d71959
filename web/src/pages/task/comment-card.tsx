import { type ReactNode, useState } from 'react';
import { useUser } from '../../data/session.ts';
import { refreshTask } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Time } from '../../ui/time.tsx';

interface Said {
  task_id: string;
  author_user_id: string;
  text: string;
  resolved: boolean;
  created_at: string;
}

/** What a person says about lines of the plan or of the code, and what can be done about it. */
export function CommentCard(props: {
  comment: Said;
  /** On which lines, in words. */
  about: string;
  /** What stands above the text, such as the lines if they are not beside it. */
  lead?: ReactNode;
  note?: string;
  resolve: (resolved: boolean) => PromiseLike<unknown>;
  remove: () => PromiseLike<unknown>;
}): ReactNode {
  return (
    <Boundary what="This comment" source={props.comment.text}>
      <Shown {...props} />
    </Boundary>
  );
}

function Shown({
  comment,
  about,
  lead,
  note,
  resolve,
  remove,
}: Parameters<typeof CommentCard>[0]): ReactNode {
  const [error, setError] = useState<unknown>();
  const mine = useUser().id === comment.author_user_id;
  const run = async (act: PromiseLike<unknown>) => {
    setError(undefined);
    try {
      await act;
      await refreshTask(comment.task_id);
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <article
      aria-label={`Comment on ${about}`}
      className="rounded-box border border-line bg-surface px-3 py-2 text-sm"
    >
      {lead}
      <p className="text-xs text-muted">
        {mine && 'You · '}
        <Time at={comment.created_at} />
        {note !== undefined && ` · ${note}`}
      </p>
      <p dir="auto" className="py-1 whitespace-pre-wrap wrap-anywhere">
        {comment.text}
      </p>
      {error !== undefined && <Failure error={error} />}
      <div className="-mx-3 -mb-1">
        <Button look="quiet" onClick={() => void run(resolve(!comment.resolved))}>
          {comment.resolved ? 'Open again' : 'Resolve'}
        </Button>
        {mine && (
          <Button look="quiet" onClick={() => void run(remove())}>
            Delete
          </Button>
        )}
      </div>
    </article>
  );
}
