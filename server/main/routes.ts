import { billingRoutes } from '../billing/routes.ts';
import { usageRoutes } from '../billing/usage/routes.ts';
import { deployRoutes } from '../code/deploys/routes.ts';
import { giteaRoutes } from '../code/gitea/routes.ts';
import { githubRoutes } from '../code/github/routes.ts';
import { importRoutes } from '../code/imports/routes.ts';
import { pullRequestRoutes } from '../code/pull-requests/routes.ts';
import { connectionRoutes } from '../erp/connections/routes.ts';
import { dumpRoutes } from '../erp/dumps/routes.ts';
import { instanceRoutes } from '../erp/instances/routes.ts';
import { erpRoutes } from '../erp/routes.ts';
import type { Route } from '../http/route.ts';
import { accountRoutes } from '../identity/account/routes.ts';
import { notificationRoutes } from '../identity/notifications/routes.ts';
import { operatorRoutes } from '../operator/routes.ts';
import { auditRoutes } from '../organizations/audit/routes.ts';
import { invitationRoutes } from '../organizations/invitations/routes.ts';
import { memberRoutes } from '../organizations/members/routes.ts';
import { roleRoutes } from '../organizations/roles/routes.ts';
import { serviceAccountRoutes } from '../organizations/service-accounts/routes.ts';
import { teamRoutes } from '../organizations/teams/routes.ts';
import { webhookRoutes } from '../organizations/webhooks/routes.ts';
import { workspaceRoutes } from '../organizations/workspaces/routes.ts';
import { mcpServerRoutes } from '../projects/mcp-servers/routes.ts';
import { projectRoutes } from '../projects/routes.ts';
import { variableRoutes } from '../projects/variables/routes.ts';
import { changeRoutes } from '../tasks/changes/routes.ts';
import { eventRoutes } from '../tasks/events/routes.ts';
import { fileRoutes } from '../tasks/file-routes.ts';
import { planRoutes } from '../tasks/plans/routes.ts';
import { taskRoutes } from '../tasks/routes.ts';
import { routineRoutes } from '../tasks/routines/routes.ts';
import type { Services } from './services.ts';

/** The whole API, area by area. */
export const routes = (services: Services): Route[] => [
  ...accountRoutes(services),
  ...notificationRoutes,
  ...workspaceRoutes(services),
  ...auditRoutes,
  ...invitationRoutes(services),
  ...memberRoutes,
  ...roleRoutes,
  ...teamRoutes,
  ...serviceAccountRoutes,
  ...projectRoutes(services),
  ...variableRoutes(services),
  ...mcpServerRoutes(services),
  ...importRoutes(services),
  ...taskRoutes(services),
  ...eventRoutes(services),
  ...changeRoutes(services),
  ...planRoutes,
  ...routineRoutes(services),
  ...githubRoutes(services),
  ...giteaRoutes(services),
  ...pullRequestRoutes(services),
  ...deployRoutes,
  ...fileRoutes(services),
  ...billingRoutes(services),
  ...usageRoutes,
  ...erpRoutes(services),
  ...instanceRoutes(services),
  ...dumpRoutes(services),
  ...connectionRoutes(services),
  ...webhookRoutes(services),
  ...operatorRoutes(services),
];
