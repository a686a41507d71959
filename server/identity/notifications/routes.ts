import type { Route } from '../../http/route.ts';
import { getNotificationSettings } from './get-notification-settings.ts';
import { getProjectMute } from './get-project-mute.ts';
import { getTaskSubscription } from './get-task-subscription.ts';
import { listMuted } from './list-muted.ts';
import { muteProject } from './mute-project.ts';
import { setTaskSubscription } from './set-task-subscription.ts';
import { unfollowTask } from './unfollow-task.ts';
import { unmuteProject } from './unmute-project.ts';
import { updateNotificationSettings } from './update-notification-settings.ts';

export const notificationRoutes: Route[] = [
  getNotificationSettings,
  updateNotificationSettings,
  listMuted,
  getTaskSubscription,
  setTaskSubscription,
  unfollowTask,
  getProjectMute,
  muteProject,
  unmuteProject,
];
