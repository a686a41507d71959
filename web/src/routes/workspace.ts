import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { creating, texts } from '../search.ts';
import { billing, usage } from './money.ts';
import { signedIn } from './signed-in.ts';
import { webhooks } from './webhooks.ts';

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/workspaces/$org',
  component: lazyRouteComponent(() => import('../pages/workspace/workspace.tsx'), 'WorkspacePage'),
});

const pages = [
  createRoute({ getParentRoute: () => workspace, ...billing }),
  createRoute({ getParentRoute: () => workspace, ...usage }),
  createRoute({ getParentRoute: () => workspace, ...webhooks }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/',
    validateSearch: creating,
    component: lazyRouteComponent(
      () => import('../pages/workspace/overview.tsx'),
      'WorkspaceOverview',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'members',
    validateSearch: texts('q', 'role', 'team', 'person'),
    component: lazyRouteComponent(() => import('../pages/workspace/members.tsx'), 'Members'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'roles',
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'Roles'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'invitations',
    validateSearch: creating,
    component: lazyRouteComponent(
      () => import('../pages/workspace/invitations.tsx'),
      'WorkspaceInvitations',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams',
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'Teams'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams/$team',
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'TeamPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'service-accounts',
    validateSearch: texts('account'),
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'ServiceAccounts'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'audit',
    validateSearch: texts('action', 'actor', 'from', 'to'),
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'AuditTrail'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'settings',
    validateSearch: texts('error'),
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'WorkspaceSettings'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'danger',
    component: lazyRouteComponent(() => import('../pages/workspace/pages.ts'), 'Danger'),
  }),
] as const;

/** The pages of a workspace. */
export const workspaceRoutes = workspace.addChildren(pages);
