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
import { PANEL_NAMES, type PanelName } from './pages/task/panel-names.ts';
import { creating, type Search, text, texts, whole, yes } from './search.ts';
import { Loading } from './shell/loading.tsx';
import { FailedPage, UnknownPage } from './shell/other-pages.tsx';

/** Every address of the dashboard, and what its query may hold. Pages are loaded when needed. */

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
  validateSearch: ({
    return_to,
    by,
    error,
  }: Search): { return_to?: string; by?: 'mail'; error?: string } => ({
    return_to: text(return_to),
    by: by === 'mail' ? by : undefined,
    error: text(error),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'SignIn'),
});

const link = createRoute({
  getParentRoute: () => root,
  path: '/links/$token',
  component: lazyRouteComponent(() => import('./pages/sign-in/link.tsx'), 'LinkPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: ({ error }: Search): { error?: string } => ({ error: text(error) }),
  component: lazyRouteComponent(() => import('./pages/account/account.tsx'), 'AccountPage'),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/account/profile.tsx'), 'Profile'),
});

const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  component: lazyRouteComponent(() => import('./pages/account/security.tsx'), 'Security'),
});

const keys = createRoute({
  getParentRoute: () => account,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/account/keys.tsx'), 'Keys'),
});

const sessions = createRoute({
  getParentRoute: () => account,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./pages/account/sessions.tsx'), 'Sessions'),
});

const connections = createRoute({
  getParentRoute: () => account,
  path: '/connections',
  component: lazyRouteComponent(() => import('./pages/account/connections.tsx'), 'Connections'),
});

const activity = createRoute({
  getParentRoute: () => account,
  path: '/activity',
  component: lazyRouteComponent(() => import('./pages/account/activity.tsx'), 'Activity'),
});

/** The same pages of money, for a person and for a workspace. */
const billing = {
  path: 'billing',
  validateSearch: texts('view', 'type', 'from', 'to'),
  component: lazyRouteComponent(() => import('./pages/billing/pages.ts'), 'Billing'),
} as const;

const usage = {
  path: 'usage',
  validateSearch: texts('by', 'and', 'from', 'to'),
  component: lazyRouteComponent(() => import('./pages/billing/pages.ts'), 'Usage'),
} as const;

const stripe = createRoute({
  getParentRoute: () => account,
  path: 'stripe',
  validateSearch: texts('setup', 'charge'),
  component: lazyRouteComponent(() => import('./pages/billing/pages.ts'), 'StripePage'),
});

const ownBilling = createRoute({ getParentRoute: () => account, ...billing });
const ownUsage = createRoute({ getParentRoute: () => account, ...usage });

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/workspaces/$org',
  component: lazyRouteComponent(() => import('./pages/workspace/workspace.tsx'), 'WorkspacePage'),
});

const workspacePages = [
  createRoute({ getParentRoute: () => workspace, ...billing }),
  createRoute({ getParentRoute: () => workspace, ...usage }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/',
    validateSearch: creating,
    component: lazyRouteComponent(
      () => import('./pages/workspace/overview.tsx'),
      'WorkspaceOverview',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'members',
    validateSearch: texts('q', 'role', 'team', 'person'),
    component: lazyRouteComponent(() => import('./pages/workspace/members.tsx'), 'Members'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'roles',
    component: lazyRouteComponent(() => import('./pages/workspace/roles.tsx'), 'Roles'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'invitations',
    validateSearch: creating,
    component: lazyRouteComponent(
      () => import('./pages/workspace/invitations.tsx'),
      'WorkspaceInvitations',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams',
    component: lazyRouteComponent(() => import('./pages/workspace/teams.tsx'), 'Teams'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams/$team',
    component: lazyRouteComponent(() => import('./pages/workspace/team.tsx'), 'TeamPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'audit',
    validateSearch: texts('action', 'actor', 'from', 'to'),
    component: lazyRouteComponent(() => import('./pages/workspace/audit.tsx'), 'AuditTrail'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'settings',
    validateSearch: texts('error'),
    component: lazyRouteComponent(
      () => import('./pages/workspace/settings.tsx'),
      'WorkspaceSettings',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'danger',
    component: lazyRouteComponent(() => import('./pages/workspace/danger.tsx'), 'Danger'),
  }),
] as const;

const invitation = createRoute({
  getParentRoute: () => signedIn,
  path: '/invitations/$id',
  validateSearch: texts('token'),
  component: lazyRouteComponent(
    () => import('./pages/invitation/invitation.tsx'),
    'InvitationPage',
  ),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: ({ create }: Search): { create?: 'workspace' | 'project' } => ({
    create: create === 'workspace' || create === 'project' ? create : undefined,
  }),
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

const people = createRoute({
  getParentRoute: () => project,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/project/people.tsx'), 'ProjectPeople'),
});

const repositories = createRoute({
  getParentRoute: () => project,
  path: '/repositories',
  validateSearch: ({ repository }: Search): { repository?: string } => ({
    repository: text(repository),
  }),
  component: lazyRouteComponent(
    () => import('./pages/project/repositories.tsx'),
    'ProjectRepositories',
  ),
});

const deploys = createRoute({
  getParentRoute: () => project,
  path: '/deploys',
  validateSearch: ({ branch }: Search): { branch?: string } => ({ branch: text(branch) }),
  component: lazyRouteComponent(() => import('./pages/project/deploys.tsx'), 'ProjectDeploys'),
});

const settings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/project/settings.tsx'), 'ProjectSettings'),
});

const task = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$project/tasks/$task',
  validateSearch: ({ panel, version }: Search): { panel?: PanelName; version?: number } => ({
    panel: PANEL_NAMES.find((name) => name === panel),
    version: whole(version),
  }),
  component: lazyRouteComponent(() => import('./pages/task/task.tsx'), 'TaskPage'),
});

const routeTree = root.addChildren([
  signIn,
  link,
  signedIn.addChildren([
    home,
    account.addChildren([
      profile,
      security,
      keys,
      sessions,
      connections,
      activity,
      ownBilling,
      ownUsage,
      stripe,
    ]),
    workspace.addChildren(workspacePages),
    invitation,
    project.addChildren([tasks, people, repositories, deploys, settings]),
    task,
  ]),
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
