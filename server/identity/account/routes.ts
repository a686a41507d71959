import type { Route } from '../../http/route.ts';
import { bringBackTask } from './bring-back-task.ts';
import { getAccount } from './get-account.ts';
import { getConfig, type ShownConfig } from './get-config.ts';
import { listInbox } from './list-inbox.ts';
import { setAsideTask } from './set-aside-task.ts';
import { updateAccount } from './update-account.ts';

export const accountRoutes = (services: { config: ShownConfig }): Route[] => [
  getAccount,
  updateAccount,
  getConfig(services),
  listInbox,
  setAsideTask,
  bringBackTask,
];
