import type { Route } from '../../http/route.ts';
import { listTaskChanges } from './list-task-changes.ts';
import type { TaskChanges } from './task-changes.ts';

export const changeRoutes = (services: { changes: TaskChanges }): Route[] => [
  listTaskChanges(services),
];
