import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { creating, texts } from '../search.ts';
import { billing, usage } from './money.ts';
import { signedIn } from './signed-in.ts';
import { webhooks } from './webhooks.ts';

const pagesOfWorkspace = () => import('../pages/workspace/pages.ts');

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
    component: lazyRouteComponent(pagesOfWorkspace, 'Roles'),
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
    component: lazyRouteComponent(pagesOfWorkspace, 'Teams'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams/$team',
    component: lazyRouteComponent(pagesOfWorkspace, 'TeamPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'service-accounts',
    validateSearch: texts('account'),
    component: lazyRouteComponent(pagesOfWorkspace, 'ServiceAccounts'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'audit',
    validateSearch: texts('action', 'actor', 'from', 'to'),
    component: lazyRouteComponent(pagesOfWorkspace, 'AuditTrail'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'settings',
    validateSearch: texts('error'),
    component: lazyRouteComponent(pagesOfWorkspace, 'WorkspaceSettings'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'danger',
    component: lazyRouteComponent(pagesOfWorkspace, 'Danger'),
  }),
] as const;

/** The pages of a workspace. */
export const workspaceRoutes = workspace.addChildren(pages);
