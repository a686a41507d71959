import { createRoute } from '@tanstack/react-router';
import { creating, texts } from '../search.ts';
import { lazyPage } from './lazy-page.ts';
import { billing, usage } from './money.ts';
import { signedIn } from './signed-in.ts';
import { webhooks } from './webhooks.ts';

const pagesOfWorkspace = () => import('../pages/workspace/pages.ts');

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: '/workspaces/$org',
  component: lazyPage(() => import('../pages/workspace/workspace.tsx'), 'WorkspacePage'),
});

const pages = [
  createRoute({ getParentRoute: () => workspace, ...billing }),
  createRoute({ getParentRoute: () => workspace, ...usage }),
  createRoute({ getParentRoute: () => workspace, ...webhooks }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/',
    validateSearch: creating,
    component: lazyPage(() => import('../pages/workspace/overview.tsx'), 'WorkspaceOverview'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'members',
    validateSearch: texts('q', 'role', 'team', 'person'),
    component: lazyPage(() => import('../pages/workspace/members.tsx'), 'Members'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'roles',
    component: lazyPage(pagesOfWorkspace, 'Roles'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'invitations',
    validateSearch: creating,
    component: lazyPage(() => import('../pages/workspace/invitations.tsx'), 'WorkspaceInvitations'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams',
    component: lazyPage(pagesOfWorkspace, 'Teams'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'teams/$team',
    component: lazyPage(pagesOfWorkspace, 'TeamPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'service-accounts',
    validateSearch: texts('account'),
    component: lazyPage(pagesOfWorkspace, 'ServiceAccounts'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'audit',
    validateSearch: texts('action', 'actor', 'from', 'to'),
    component: lazyPage(pagesOfWorkspace, 'AuditTrail'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'settings',
    validateSearch: texts('error'),
    component: lazyPage(pagesOfWorkspace, 'WorkspaceSettings'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: 'danger',
    component: lazyPage(pagesOfWorkspace, 'Danger'),
  }),
] as const;

/** The pages of a workspace. */
export const workspaceRoutes = workspace.addChildren(pages);
