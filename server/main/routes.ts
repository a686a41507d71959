import type { CardSetups } from '../billing/cards/card-setups.ts';
import { pdfAnswers } from '../billing/invoices/pdf-answer.ts';
import { billingRoutes } from '../billing/routes.ts';
import type { TopUps } from '../billing/top-ups/top-ups.ts';
import { usageRoutes } from '../billing/usage/routes.ts';
import { deployRoutes } from '../code/deploys/routes.ts';
import type { GitHub } from '../code/github/app.ts';
import { githubRoutes } from '../code/github/routes.ts';
import { importRoutes } from '../code/imports/routes.ts';
import { pullRequestRoutes } from '../code/pull-requests/routes.ts';
import { openBranches } from '../code/repositories/branches.ts';
import { openMerging } from '../code/repositories/merging.ts';
import { openTaskDiffs } from '../code/repositories/task-diff.ts';
import { type AskServer, askThrough } from '../erp/connections/probing.ts';
import { connectionRoutes } from '../erp/connections/routes.ts';
import { runnable } from '../erp/instances/offered.ts';
import { instanceRoutes } from '../erp/instances/routes.ts';
import { erpRoutes } from '../erp/routes.ts';
import type { Route } from '../http/route.ts';
import type { ShownConfig } from '../identity/account/get-config.ts';
import { accountRoutes } from '../identity/account/routes.ts';
import { auditRoutes } from '../organizations/audit/routes.ts';
import { inviteLinks, inviteTokenCheck } from '../organizations/invitations/invite-link.ts';
import { invitationRoutes } from '../organizations/invitations/routes.ts';
import { memberRoutes } from '../organizations/members/routes.ts';
import { roleRoutes } from '../organizations/roles/routes.ts';
import { teamRoutes } from '../organizations/teams/routes.ts';
import { workspaceRoutes } from '../organizations/workspaces/routes.ts';
import type { Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import { openSealing, type Use } from '../platform/sealing/sealing.ts';
import { projectRoutes } from '../projects/routes.ts';
import { variableRoutes } from '../projects/variables/routes.ts';
import { eventRoutes } from '../tasks/events/routes.ts';
import type { TaskEvents } from '../tasks/events/task-events.ts';
import { fileRoutes } from '../tasks/file-routes.ts';
import { planRoutes } from '../tasks/plans/routes.ts';
import { taskRoutes } from '../tasks/routes.ts';

/** What operations need besides the database. `serverSecret` signs invitation links. */
interface RouteDeps {
  config: Pick<
    Config,
    | 'publicUrl'
    | 'topUps'
    | 'files'
    | 'repositories'
    | 'erp'
    | 'imports'
    | 'erpPrograms'
    | 'network'
    | 'previousServerSecret'
  > &
    ShownConfig;
  topUps: TopUps;
  cardSetups: CardSetups;
  files: FileStore;
  serverSecret: string;
  events: TaskEvents;
  /** Without it, what asks GitHub is refused. */
  github?: GitHub | undefined;
  /** For addresses that callers chose. */
  outgoing: Outgoing;
  /** Asks the servers of connections; only tests set it. */
  askOdoo?: AskServer | undefined;
}

/** The whole API, area by area. */
export const routes = ({
  config,
  topUps,
  cardSetups,
  files,
  serverSecret,
  events,
  github,
  outgoing,
  askOdoo = askThrough(outgoing),
}: RouteDeps): Route[] => [
  ...accountRoutes(config),
  ...workspaceRoutes,
  ...auditRoutes,
  ...invitationRoutes(
    inviteLinks(config.publicUrl, serverSecret),
    inviteTokenCheck([serverSecret, config.previousServerSecret]),
  ),
  ...memberRoutes,
  ...roleRoutes,
  ...teamRoutes,
  ...projectRoutes({
    catalog: config.catalog,
    publicUrl: config.publicUrl,
    github,
    branches: openBranches(config.repositories),
    network: config.network,
  }),
  ...variableRoutes(sealingOf('variables', serverSecret, config)),
  ...importRoutes({
    branches: openBranches(config.repositories),
    sealing: sealingOf('imports', serverSecret, config),
    allowHttp: config.imports.allowHttp,
  }),
  ...taskRoutes({
    catalog: config.catalog,
    events,
    erps: erpsOf(config),
    diffs: openTaskDiffs(config.repositories),
    branches: openBranches(config.repositories),
    github,
  }),
  ...eventRoutes(events),
  ...planRoutes,
  ...githubRoutes(github),
  ...pullRequestRoutes({
    merging: openMerging(config.repositories),
    github,
    publicUrl: config.publicUrl,
  }),
  ...deployRoutes,
  ...fileRoutes({ files, perProject: config.files.perProject }),
  ...billingRoutes(topUps, cardSetups, config.topUps, pdfAnswers(), config.billing?.mode),
  ...usageRoutes,
  ...erpRoutes(outgoing),
  ...instanceRoutes(config.erpInstances, erpsOf(config)),
  ...connectionRoutes({
    ask: askOdoo,
    sealing: sealingOf('connections', serverSecret, config),
    allowHttp: config.erp.allowHttp,
  }),
];

const erpsOf = ({ erpInstances, catalog, erpPrograms }: RouteDeps['config']) =>
  runnable(erpInstances, catalog, erpPrograms);

const sealingOf = (
  use: Use,
  current: string,
  { previousServerSecret: previous }: RouteDeps['config'],
) => openSealing({ current, previous }, use);
