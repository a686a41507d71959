import { createRoute } from '@tanstack/react-router';
import { VIEW_NAMES, type ViewName } from '../pages/task/panel-names.ts';
import { taskListSearch } from '../pages/tasks/board-search.ts';
import { type Search, texts, whole } from '../search.ts';
import { lazyPage } from './lazy-page.ts';
import { usage } from './money.ts';
import { signedIn } from './signed-in.ts';
import { webhooks } from './webhooks.ts';

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project',
  component: lazyPage(() => import('../pages/project/project.tsx'), 'ProjectPage'),
});

const tasks = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: taskListSearch,
  component: lazyPage(() => import('../pages/project/tasks.tsx'), 'ProjectTasks'),
});

const people = createRoute({
  getParentRoute: () => project,
  path: '/people',
  component: lazyPage(() => import('../pages/project/pages.ts'), 'ProjectPeople'),
});

const repositories = createRoute({
  getParentRoute: () => project,
  path: '/repositories',
  validateSearch: texts('repository'),
  component: lazyPage(() => import('../pages/project/pages.ts'), 'ProjectRepositories'),
});

const deploys = createRoute({
  getParentRoute: () => project,
  path: '/deploys',
  validateSearch: texts('branch'),
  component: lazyPage(() => import('../pages/project/pages.ts'), 'ProjectDeploys'),
});

const ofProject = createRoute({ getParentRoute: () => project, ...usage });

const settings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyPage(() => import('../pages/project/pages.ts'), 'ProjectSettings'),
});

const routines = createRoute({
  getParentRoute: () => project,
  path: '/routines',
  validateSearch: texts('routine'),
  component: lazyPage(() => import('../pages/project/pages.ts'), 'Routines'),
});

const ofWebhooks = createRoute({ getParentRoute: () => project, ...webhooks });

/** A new task from anywhere; the address may propose a project. */
export const newTaskRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-task',
  validateSearch: texts('project'),
  component: lazyPage(() => import('../pages/project/tasks.tsx'), 'NewTaskPage'),
});

interface TaskSearch {
  panel?: ViewName;
  /** Of the plan. */
  version?: number;
  /** Of the code: whose changes, and which lines of which file. */
  commit?: string;
  file?: string;
  lines?: string;
}

/** A task has a page of its own, without the heads of its project. */
export const taskRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project/tasks/$task',
  validateSearch: ({ panel, version, ...search }: Search): TaskSearch => ({
    panel: VIEW_NAMES.find((name) => name === panel),
    version: whole(version),
    ...texts('commit', 'file', 'lines')(search),
  }),
  component: lazyPage(() => import('../pages/task/task.tsx'), 'TaskPage'),
});

/** The pages of a project. */
export const projectRoutes = project.addChildren([
  tasks,
  people,
  repositories,
  deploys,
  ofProject,
  routines,
  settings,
  ofWebhooks,
]);
