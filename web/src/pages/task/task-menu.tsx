import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { instanceQuery } from '../../data/erp.ts';
import { subscriptionActs, subscriptionQuery } from '../../data/notifications.ts';
import { queries } from '../../data/queries.ts';
import { refreshTask } from '../../data/task.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import type { Act } from '../../ui/menu-popup.tsx';
import { setArchived } from './set-archived.ts';
import type { Task } from './states.ts';

/** The rarer acts on a task: its title, model and cap, the archive, and its end. */
export function TaskMenu({ task }: { task: Task }): ReactNode {
  const [dialog, setDialog] = useState<'settings' | 'archive' | 'delete'>();
  const close = () => setDialog(undefined);
  const subscription = useQuery(subscriptionQuery(task.id));
  const acts: Act[] = subscriptionActs(task.id, subscription.data?.state);
  const navigate = useNavigate();
  const { project_id: project, routine } = task;
  if (routine !== undefined)
    acts.push({
      label: 'See its routine',
      onSelect: () =>
        void navigate({
          to: '/projects/$project/routines',
          params: { project },
          search: { routine: routine.id },
        }),
    });
  if (task.available_actions.includes('update_task')) {
    acts.push(
      { label: 'Title, model and cap', onSelect: () => setDialog('settings') },
      { label: task.archived ? 'Take out of the archive' : 'Archive', onSelect: archive },
    );
  }
  if (task.available_actions.includes('delete_task'))
    acts.push({ label: 'Delete', danger: true, onSelect: () => setDialog('delete') });

  async function archive(): Promise<void> {
    if (!task.archived && (await hasLiveInstance(task))) return setDialog('archive');
    await setArchived(task.id, !task.archived);
  }
  return (
    <>
      <ActsMenu label="More acts on the task" acts={acts} />
      {dialog === 'settings' && <TaskSettings task={task} onClose={close} />}
      {dialog === 'archive' && <Archive task={task} onClose={close} />}
      {dialog === 'delete' && <Delete task={task} onClose={close} />}
    </>
  );
}

/** Whether the archive would end an Odoo. Where that cannot be known, the person is asked as well. */
async function hasLiveInstance({ id, available_actions }: Task): Promise<boolean> {
  if (!available_actions.includes('get_odoo_instance')) return false;
  try {
    const instance = await queries.fetchQuery({ ...instanceQuery(id), staleTime: 0 });
    return instance?.status === 'starting' || instance?.status === 'running';
  } catch {
    return true;
  }
}

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

function Archive({ task, onClose }: { task: Task; onClose: () => void }): ReactNode {
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

function Delete({ task, onClose }: { task: Task; onClose: () => void }): ReactNode {
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
