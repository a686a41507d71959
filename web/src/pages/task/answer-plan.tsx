import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask } from '../../data/task.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextArea } from '../../ui/form.tsx';

interface OnPlan {
  taskId: string;
  /** The version that is on the screen: a newer one is neither changed nor rejected. */
  version: number;
  onClose: () => void;
}

/** How many comments the agent is told with what it is sent, as a sentence with a space before. */
export const goAlong = (comments: number): string =>
  comments === 0
    ? ''
    : ` ${comments === 1 ? 'One open comment goes' : `${comments} open comments go`} along.`;

const AS_COMMENTED = 'Change the plan as the comments say.';

/** Sends the agent back to its plan, with the comments on it. */
export function RequestChanges({
  taskId,
  version,
  comments,
  onClose,
}: OnPlan & { comments: number }): ReactNode {
  return (
    <Dialog title={`Request changes of version ${version}`} onClose={onClose}>
      <p className="text-muted">
        The agent writes the next version of the plan.{goAlong(comments)}
      </p>
      <Form
        submit="Request changes"
        onCancel={onClose}
        onSubmit={async ({ text = '' }) => {
          await guildhall.post(
            '/api/tasks/{task_id}/plan/request-changes',
            { task_id: taskId, body: { text: text.trim() || AS_COMMENTED } },
            { ifMatch: `"${version}"` },
          );
          await refreshTask(taskId);
          onClose();
        }}
      >
        <TextArea
          name="text"
          label="What is to change?"
          required={comments === 0}
          maxLength={20_000}
          {...(comments === 0 ? {} : { hint: `Empty: “${AS_COMMENTED}”` })}
        />
      </Form>
    </Dialog>
  );
}

/** Cancels the task because of its plan. */
export function RejectPlan({ taskId, version, onClose }: OnPlan): ReactNode {
  return (
    <Dialog title={`Reject version ${version}?`} onClose={onClose}>
      <p className="text-muted">
        The task is cancelled, and nothing is built. Write to the agent to go on with it later.
      </p>
      <Form
        submit="Reject the plan"
        look="danger"
        onCancel={onClose}
        onSubmit={async ({ reason = '' }) => {
          await guildhall.post(
            '/api/tasks/{task_id}/plan/reject',
            { task_id: taskId, body: reason.trim() === '' ? {} : { reason: reason.trim() } },
            { ifMatch: `"${version}"` },
          );
          await refreshTask(taskId);
          onClose();
        }}
      >
        <TextArea
          name="reason"
          label="Why?"
          maxLength={20_000}
          hint="Others read it here. It may be empty."
        />
      </Form>
    </Dialog>
  );
}
