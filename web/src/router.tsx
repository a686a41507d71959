import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { queries } from './data/queries.ts';
import { sessionQuery } from './data/session.ts';
import { Loading } from './shell/loading.tsx';
import { FailedPage, UnknownPage } from './shell/other-pages.tsx';

/** Every address of the dashboard, and what its query may hold. Pages are loaded when needed. */

type Search = Record<string, unknown>;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const whole = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
const yes = (value: unknown): true | undefined => (value === true ? true : undefined);

const root = createRootRoute({ component: Outlet, notFoundComponent: UnknownPage });

/** Everything behind the sign-in: who is not signed in gets there, and then back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (!session.signed_in || session.pending)
      throw redirect({ to: '/sign-in', search: { return_to: location.href } });
  },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ return_to }: Search): { return_to?: string } => ({
    return_to: text(return_to),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'SignIn'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/account.tsx'), 'AccountPage'),
});

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/workspaces/$org',
  component: lazyRouteComponent(() => import('./pages/workspace/workspace.tsx'), 'WorkspacePage'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/home.tsx'), 'Home'),
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project',
  component: lazyRouteComponent(() => import('./pages/project/project.tsx'), 'ProjectPage'),
});

const tasks = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: ({ q, archived }: Search): { q?: string; archived?: true } => ({
    q: text(q),
    archived: yes(archived),
  }),
  component: lazyRouteComponent(() => import('./pages/project/tasks.tsx'), 'ProjectTasks'),
});

const PANELS = ['plan', 'code', 'pull-request', 'files'] as const;

const task = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project/tasks/$task',
  validateSearch: ({
    panel,
    version,
  }: Search): { panel?: (typeof PANELS)[number]; version?: number } => ({
    panel: PANELS.find((name) => name === panel),
    version: whole(version),
  }),
  component: lazyRouteComponent(() => import('./pages/task/task.tsx'), 'TaskPage'),
});

const routeTree = root.addChildren([
  signIn,
  signedIn.addChildren([home, account, workspace, project.addChildren([tasks]), task]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: FailedPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
