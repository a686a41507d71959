import type { Route } from '../../http/route.ts';
import { listTaskEvents } from './list-task-events.ts';
import type { TaskEvents } from './task-events.ts';

export const eventRoutes = (services: { events: TaskEvents }): Route[] => [
  listTaskEvents(services),
];
