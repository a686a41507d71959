import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { queries } from '../../data/queries.ts';
import { refreshTask } from '../../data/task.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { setArchived } from './set-archived.ts';
import type { Task } from './states.ts';

/** The title, the model and the cap of a task. */
export function TaskSettings({ task, onClose }: { task: Task; onClose: () => void }): ReactNode {
  const config = useQuery(configQuery);
  const models = config.data?.models ?? [];
  return (
    <Dialog title="Title, model and cap" onClose={onClose}>
      <Form
        submit="Save"
        onCancel={onClose}
        onSubmit={async ({ title = '', model, spend_cap = '' }) => {
          await guildhall.put('/api/tasks/{task_id}', {
            task_id: task.id,
            body: {
              title,
              model: model === '' ? null : model,
              spend_cap: spend_cap.trim() === '' ? null : spend_cap.trim(),
            },
          });
          await refreshTask(task.id);
          onClose();
        }}
      >
        <TextField name="title" label="Title" defaultValue={task.title} dir="auto" required />
        <SelectField
          name="model"
          label="Model"
          defaultValue={task.model ?? ''}
          options={[
            { value: '', label: 'That of the project' },
            ...models.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <TextField
          name="spend_cap"
          label="Spending cap in USD"
          inputMode="decimal"
          defaultValue={task.spend.cap ?? ''}
          hint="The task pauses before it would cost more in all. Empty: no cap of its own. A cap of the project counts, too: it is for all of its tasks together."
        />
      </Form>
    </Dialog>
  );
}

/** Asks before the archive ends an Odoo. */
export function ArchiveTask({ task, onClose }: { task: Task; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Archive this task?"
      submit="Archive it and delete its Odoo"
      act={() => setArchived(task.id, true)}
      onClose={onClose}
    >
      <p>
        Its throwaway Odoo ends: its database and everything in it is deleted. The rest of the task
        stays, and can be taken out of the archive.
      </p>
    </Confirm>
  );
}

/** Asks before a task is deleted. */
export function DeleteTask({ task, onClose }: { task: Task; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  return (
    <Confirm
      title="Delete this task?"
      submit="Delete the task"
      act={async () => {
        await guildhall.delete('/api/tasks/{task_id}', { task_id: task.id });
        await navigate({ to: '/projects/$project', params: { project: task.project_id } });
        queries.removeQueries({ queryKey: ['task', task.id] });
        await queries.invalidateQueries({ queryKey: ['project', task.project_id] });
      }}
      onClose={onClose}
    >
      <p>
        Its messages, plan and files go with it, and its branch, except on GitHub. What was merged
        stays merged, and what it cost stays in the ledger.
      </p>
    </Confirm>
  );
}
