import type { TaskDiffs } from '../code/index.ts';
import type { Route } from '../http/route.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { answerRequest } from './answer-request.ts';
import { cancelTask } from './cancel-task.ts';
import { createMessage } from './create-message.ts';
import { createTask } from './create-task.ts';
import { deleteMessage } from './delete-message.ts';
import { deleteTask } from './delete-task.ts';
import { diffCommentRoutes } from './diff-comments/routes.ts';
import type { TaskEvents } from './events/task-events.ts';
import { fixChecks } from './fix-checks.ts';
import { getPod } from './get-pod.ts';
import { getPodLog } from './get-pod-log.ts';
import { getTask } from './get-task.ts';
import { getTaskDiff } from './get-task-diff.ts';
import { listMessages } from './list-messages.ts';
import { listMyTasks } from './list-my-tasks.ts';
import { listRequests } from './list-requests.ts';
import { listTaskPeople } from './list-task-people.ts';
import { listTaskTurns } from './list-task-turns.ts';
import { listTasks } from './list-tasks.ts';
import { getPlanEstimate } from './plans/get-plan-estimate.ts';
import { resumeTask } from './resume-task.ts';
import { searchTasks } from './search-tasks.ts';
import { startPod } from './start-pod.ts';
import { stopPod } from './stop-pod.ts';
import type { TaskResource } from './task.ts';
import type { BranchHosts } from './task-base.ts';
import { updateTask } from './update-task.ts';

interface TaskServices extends BranchHosts {
  catalog: Catalog;
  events: TaskEvents;
  diffs: TaskDiffs;
  task: TaskResource;
}

export const taskRoutes = (services: TaskServices): Route[] => [
  listTasks(services),
  searchTasks,
  listMyTasks(services),
  createTask(services),
  getTask(services),
  listTaskPeople,
  updateTask(services),
  deleteTask,
  cancelTask(services),
  resumeTask(services),
  getTaskDiff(services),
  ...diffCommentRoutes(services),
  getPod,
  startPod(services),
  stopPod,
  getPodLog,
  listTaskTurns,
  listMessages,
  createMessage,
  deleteMessage,
  fixChecks,
  getPlanEstimate(services),
  listRequests,
  answerRequest,
];
