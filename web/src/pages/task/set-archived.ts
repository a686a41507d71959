import { guildhall } from '../../data/api.ts';
import { refreshTask } from '../../data/task.ts';

/** Puts a task into the archive, or takes it out. */
export async function setArchived(task_id: string, archived: boolean): Promise<void> {
  await guildhall.put('/api/tasks/{task_id}', { task_id, body: { archived } });
  await refreshTask(task_id);
}
