import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { useDraft } from '../../data/drafts.ts';
import { refreshTask } from '../../data/task.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextArea } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { askLabel, goAlong, type Review } from './review.ts';
import type { Task } from './states.ts';

const AS_COMMENTED = 'Change the plan as the comments say.';
/** Comments that the dialog lists, and characters of one. */
const MOST_LISTED = 20;
const MOST_CHARACTERS = 200;

/**
 * Why what is written about a version of the plan can no longer be sent, if so; not while it is
 * being sent, which answers the plan.
 */
function useOvertaken(version: number | undefined) {
  const [opened] = useState(version);
  const [sending, setSending] = useState(false);
  const says =
    version === undefined
      ? 'The plan does not wait any more: it was answered elsewhere. What you have written here is kept. To tell the agent, copy it into a message.'
      : `Version ${version} of the plan has arrived. What you have written here is kept: close this, read that version, then answer it.`;
  return {
    overtaken: opened === version || sending ? undefined : says,
    sendWith: async (send: () => Promise<void>): Promise<void> => {
      setSending(true);
      await send().finally(() => setSending(false));
    },
  };
}

/** Sends the agent what people want changed, with the comments on its plan and its code, as one. */
export function AskForChanges({
  task,
  version,
  review,
  onClose,
}: {
  task: Task;
  /** Of a plan that waits, the version that is on the screen: a newer one is not changed. */
  version: number | undefined;
  review: Review;
  onClose: () => void;
}): ReactNode {
  const draft = useDraft(task.id, 'changes');
  const { overtaken, sendWith } = useOvertaken(review.code.length > 0 ? undefined : version);
  const comments = [...review.plan, ...review.code];
  const send = (text: string) => {
    const { id: task_id } = task;
    // What is sent with a message about the code goes along with the comments on the plan.
    if (review.code.length > 0)
      return guildhall.post('/api/tasks/{task_id}/diff-comments/send', {
        task_id,
        body: text === '' ? {} : { text },
      });
    return guildhall.post(
      '/api/tasks/{task_id}/plan/request-changes',
      { task_id, body: { text: text || AS_COMMENTED } },
      { ifMatch: `"${version}"` },
    );
  };
  return (
    <Dialog
      title={version === undefined ? askLabel(review) : `Ask for changes of version ${version}`}
      onClose={onClose}
    >
      <p className="text-muted">
        {version === undefined
          ? 'The agent changes the code.'
          : 'The agent writes the next version of the plan.'}
        {goAlong(comments.length)}
      </p>
      {comments.length > 0 && (
        <ul aria-label="Comments" className="flex max-h-60 flex-col gap-2 overflow-y-auto">
          {comments.slice(0, MOST_LISTED).map(({ id, where, text }) => (
            <li key={id} className="border-l-2 border-line pl-2">
              <p className="text-xs text-muted wrap-anywhere">{where}</p>
              <p dir="auto" className="wrap-anywhere">
                {text.slice(0, MOST_CHARACTERS)}
                {text.length > MOST_CHARACTERS && '…'}
              </p>
            </li>
          ))}
          {comments.length > MOST_LISTED && (
            <li className="text-muted">and {comments.length - MOST_LISTED} more</li>
          )}
        </ul>
      )}
      {overtaken && <Refusal>{overtaken}</Refusal>}
      <Form
        submit={askLabel(review)}
        disabled={overtaken !== undefined}
        onCancel={onClose}
        onSubmit={({ text = '' }) =>
          sendWith(async () => {
            await send(text.trim());
            draft.forget();
            await refreshTask(task.id);
            onClose();
          })
        }
      >
        <TextArea
          name="text"
          label={comments.length === 0 ? 'What is to change?' : 'What else is to change?'}
          required={comments.length === 0}
          maxLength={review.code.length > 0 ? 10_000 : 20_000}
          defaultValue={draft.opened}
          onValueChange={draft.keep}
          {...(comments.length === 0 ? {} : { hint: 'It may be empty.' })}
        />
      </Form>
    </Dialog>
  );
}

/** Cancels the task because of its plan. */
export function RejectPlan({
  taskId,
  version,
  onClose,
}: {
  taskId: string;
  /** Of a plan that waits, the version that is on the screen: a newer one is not rejected. */
  version: number | undefined;
  onClose: () => void;
}): ReactNode {
  const draft = useDraft(taskId, 'reject');
  const { overtaken, sendWith } = useOvertaken(version);
  return (
    <Dialog
      title={version === undefined ? 'Reject the plan?' : `Reject version ${version}?`}
      onClose={onClose}
    >
      <p className="text-muted">
        The task is cancelled, and nothing is built. Write to the agent to go on with it later.
      </p>
      {overtaken && <Refusal>{overtaken}</Refusal>}
      <Form
        submit="Reject the plan"
        look="danger"
        disabled={overtaken !== undefined}
        onCancel={onClose}
        onSubmit={({ reason = '' }) =>
          sendWith(async () => {
            await guildhall.post(
              '/api/tasks/{task_id}/plan/reject',
              { task_id: taskId, body: reason.trim() === '' ? {} : { reason: reason.trim() } },
              { ifMatch: `"${version}"` },
            );
            draft.forget();
            await refreshTask(taskId);
            onClose();
          })
        }
      >
        <TextArea
          name="reason"
          label="Why?"
          maxLength={20_000}
          hint="Others read it here. It may be empty."
          defaultValue={draft.opened}
          onValueChange={draft.keep}
        />
      </Form>
    </Dialog>
  );
}
