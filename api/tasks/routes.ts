import type { Catalog } from '../catalog/catalog.ts';
import type { Route } from '../http/route.ts';
import { createTask } from './create-task.ts';
import { getTask } from './get-task.ts';
import { listTasks } from './list-tasks.ts';
import { taskResource } from './task.ts';

export function taskRoutes(catalog: Catalog): Route[] {
  const task = taskResource(catalog);
  return [listTasks(task), createTask(catalog, task), getTask(task)];
}
