import { createRoute, createRouter } from '@tanstack/react-router';
import { boardSearch } from './pages/tasks/board-search.ts';
import { accountPages, accountRoutes, connect } from './routes/account.ts';
import { lazyPage } from './routes/lazy-page.ts';
import { newTaskRoute, projectRoutes, taskRoute } from './routes/project.ts';
import { root, signedIn } from './routes/signed-in.ts';
import { workspaceRoutes } from './routes/workspace.ts';
import { type Search, text, texts } from './search.ts';
import { FailedPage } from './shell/failed-page.tsx';
import { Loading } from './shell/loading.tsx';

/**
 * Every address of the dashboard, and what its query may hold; those of an account, a workspace and a
 * project are in `routes/`. Pages are loaded when needed.
 */

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({
    return_to,
    by,
    error,
  }: Search): { return_to?: string; by?: 'mail'; error?: string } => ({
    return_to: text(return_to),
    by: by === 'mail' ? by : undefined,
    error: text(error),
  }),
  component: lazyPage(() => import('./pages/sign-in/pages.ts'), 'SignIn'),
});

const link = createRoute({
  getParentRoute: () => root,
  path: '/links/$token',
  component: lazyPage(() => import('./pages/sign-in/pages.ts'), 'LinkPage'),
});

const invitation = createRoute({
  getParentRoute: () => signedIn,
  path: '/invitations/$id',
  validateSearch: texts('token', 'proof'),
  component: lazyPage(() => import('./pages/sign-in/pages.ts'), 'InvitationPage'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: texts('create', 'inbox'),
  component: lazyPage(() => import('./pages/home/home.tsx'), 'Home'),
});

const help = createRoute({
  getParentRoute: () => signedIn,
  path: '/help/{-$topic}',
  component: lazyPage(() => import('./pages/help/help.tsx'), 'HelpPage'),
});

const tasks = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks',
  validateSearch: boardSearch,
  component: lazyPage(() => import('./pages/tasks/board.tsx'), 'Board'),
});

const operator = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator',
  component: lazyPage(accountPages, 'Operator'),
});

/** Any other address, within the frame: there is a way on. */
const unknown = createRoute({
  getParentRoute: () => signedIn,
  path: '$',
  component: lazyPage(accountPages, 'UnknownPage'),
});

const routeTree = root.addChildren([
  signIn,
  link,
  signedIn.addChildren([
    home,
    tasks,
    accountRoutes,
    connect,
    workspaceRoutes,
    invitation,
    projectRoutes,
    taskRoute,
    newTaskRoute,
    help,
    operator,
    unknown,
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: FailedPage,
  // An address that cannot be decoded fits no route, not even the last one.
  defaultNotFoundComponent: lazyPage(accountPages, 'UnknownPage'),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
