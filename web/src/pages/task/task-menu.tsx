import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { instanceQuery } from '../../data/erp.ts';
import { subscriptionActs, subscriptionQuery } from '../../data/notifications.ts';
import { queries } from '../../data/queries.ts';
import { ActsMenu } from '../../ui/menu.tsx';
import type { Act } from '../../ui/menu-popup.tsx';
import { ArchiveTask, DeleteTask, TaskSettings } from './on-demand.tsx';
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
      {dialog === 'archive' && <ArchiveTask task={task} onClose={close} />}
      {dialog === 'delete' && <DeleteTask task={task} onClose={close} />}
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
