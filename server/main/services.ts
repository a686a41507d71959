import type { CardSetups } from '../billing/cards/card-setups.ts';
import { type PdfAnswer, pdfAnswers } from '../billing/invoices/pdf-answer.ts';
import type { TopUpLimits } from '../billing/top-ups/top-up.ts';
import type { TopUps } from '../billing/top-ups/top-ups.ts';
import { giteaHost } from '../code/gitea/code-host.ts';
import type { Gitea } from '../code/gitea/open-gitea.ts';
import type { GitHub } from '../code/github/app.ts';
import { type GithubServices, openGithubTransfers } from '../code/github/listing.ts';
import type { CodeHosts } from '../code/hosts/code-host.ts';
import { openHosts } from '../code/hosts/open-hosts.ts';
import { type Branches, openBranches } from '../code/repositories/branches.ts';
import { type Merging, openMerging } from '../code/repositories/merging.ts';
import { openTaskDiffs, type TaskDiffs } from '../code/repositories/task-diff.ts';
import type { Database } from '../db/database/database.ts';
import { type AskServer, askThrough } from '../erp/connections/probing.ts';
import { type InstanceSettings, preparable, runnable } from '../erp/instances/offered.ts';
import type { ShownConfig } from '../identity/account/get-config.ts';
import {
  type InviteLink,
  type IsInviteToken,
  inviteLinks,
  inviteTokenCheck,
} from '../organizations/invitations/invite-link.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import type { BillingMode, Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import { openSealing, type Sealing, type Use } from '../platform/sealing/sealing.ts';
import type { OperatorsHosts } from '../projects/network.ts';
import { type RepositoryResource, repositoryOf } from '../projects/repository.ts';
import { openTaskChanges, type TaskChanges } from '../tasks/changes/task-changes.ts';
import type { TaskEvents } from '../tasks/events/task-events.ts';
import { type TaskResource, taskResource } from '../tasks/task.ts';

/**
 * All that operations are given beside what a request brings, each made once for a server. An
 * operation that needs none is a constant; any other is a function that takes those that it names.
 * What signs people in is given more (sign-in-services.ts).
 */
export interface Services {
  /** What of the configuration callers may know. */
  config: ShownConfig;
  /** Who may create workspaces and projects. */
  creation: Config['creation'];
  /** Every setting as operators are shown it. */
  settings: Config['settings'];
  /** Where people reach the server, without a slash at the end. */
  publicUrl: string;
  /** The models, agents and ERP versions that the operator offers. */
  catalog: Catalog;

  inviteLink: InviteLink;
  isInviteToken: IsInviteToken;

  /** What every project may reach of the network. */
  network: OperatorsHosts;
  /** What the API shows of a repository. */
  repository: RepositoryResource;
  /** Seals the variables of projects. */
  variableSealing: Sealing;

  /** What the API shows of a task; it depends on the catalog. */
  task: TaskResource;
  /** The log of events of tasks, and the streams of it. */
  events: TaskEvents;
  /** Which tasks change, for the streams of that. */
  changes: TaskChanges;
  /** Attachments and artifacts. */
  files: FileStore;
  /** Bytes that the files of one project may take up. */
  filesPerProject: number;

  /** The branches of the repositories on this machine. */
  branches: Branches;
  /** What tasks have changed in them. */
  diffs: TaskDiffs;
  /** Compares and merges them. */
  merging: Merging;
  /** Undefined without a GitHub App: what asks GitHub is then refused. */
  github: GitHub | undefined;
  /** The Gitea and Forgejo servers of workspaces; undefined only where no operation is called. */
  gitea: Gitea | undefined;
  /** Seals the tokens of these. */
  codeHostSealing: Sealing;
  /** Whether they may be sent without TLS. */
  httpCodeHosts: boolean;
  /** Where code is that is not on this server: GitHub, Gitea, Forgejo. */
  hosts: CodeHosts;
  /** What may wait for GitHub at once. */
  githubTransfers: GithubServices['githubTransfers'];
  /** Seals the passwords of imports. */
  importSealing: Sealing;
  /** Whether repositories may be fetched without TLS. */
  httpImports: boolean;

  /** Charges cards. */
  topUps: TopUps;
  /** Saves cards. */
  cardSetups: CardSetups;
  topUpLimits: TopUpLimits;
  invoicePdf: PdfAnswer;
  /** How work is paid for; undefined before the operator has decided it. */
  billingMode: BillingMode | undefined;

  /** Sends requests to addresses that callers chose. */
  outgoing: Outgoing;
  /** Asks the Odoo server of a connection. */
  askOdoo: AskServer;
  /** Seals the secrets of connections. */
  connectionSealing: Sealing;
  /** Whether these may be sent without TLS. */
  httpConnections: boolean;
  instances: InstanceSettings;
  /** What can be run as a throwaway instance, each as "version edition". */
  erps: readonly string[];
  /** Those of them for which dumps are prepared. */
  erpsOfDumps: readonly string[];

  /** Seals the tokens of routines in stored answers. */
  routineSealing: Sealing;

  /** Seals the addresses and secrets of webhooks. */
  webhookSealing: Sealing;
  /** Whether these may be sent without TLS. */
  httpWebhooks: boolean;
}

/** What the start of a server has opened, from which the services are made. */
interface Opened {
  db: Pick<Database, 'read'>;
  config: Pick<
    Config,
    | 'publicUrl'
    | 'topUps'
    | 'files'
    | 'repositories'
    | 'erp'
    | 'imports'
    | 'codeHosts'
    | 'webhooks'
    | 'erpPrograms'
    | 'network'
    | 'previousServerSecret'
    | 'settings'
    | 'creation'
  > &
    ShownConfig;
  topUps: TopUps;
  cardSetups: CardSetups;
  files: FileStore;
  /** Signs invitation links, and seals secrets. */
  serverSecret: string;
  events: TaskEvents;
  github?: GitHub | undefined;
  gitea?: Gitea | undefined;
  outgoing: Outgoing;
  /** Only tests set these. */
  askOdoo?: AskServer | undefined;
  erpsOfDumps?: readonly string[] | undefined;
}

/** Opens no connection and touches no file. */
export function openServices({
  db,
  config,
  serverSecret,
  github,
  gitea,
  outgoing,
  askOdoo = askThrough(outgoing),
  erpsOfDumps = preparable(config.erpInstances, config.erpPrograms),
  ...opened
}: Opened): Services {
  const { publicUrl, catalog, repositories, previousServerSecret: previous } = config;
  const sealing = (use: Use) => openSealing({ current: serverSecret, previous }, use);
  const erps = runnable(config.erpInstances, config.erpPrograms);
  return {
    ...opened,
    config,
    creation: config.creation,
    settings: config.settings,
    publicUrl,
    catalog,
    inviteLink: inviteLinks(publicUrl, serverSecret),
    isInviteToken: inviteTokenCheck([serverSecret, previous]),
    network: config.network,
    repository: repositoryOf({ publicUrl, githubUrl: github?.webUrl ?? 'https://github.com' }),
    variableSealing: sealing('variables'),
    task: taskResource(catalog, erps),
    changes: openTaskChanges(db, { onReset: () => opened.events.onReset() }),
    filesPerProject: config.files.perProject,
    branches: openBranches(repositories),
    diffs: openTaskDiffs(repositories),
    merging: openMerging(repositories),
    github,
    gitea,
    codeHostSealing: sealing('code_hosts'),
    httpCodeHosts: config.codeHosts.allowHttp,
    hosts: openHosts({ github, gitea: gitea && giteaHost(gitea) }),
    githubTransfers: openGithubTransfers(),
    importSealing: sealing('imports'),
    httpImports: config.imports.allowHttp,
    topUpLimits: config.topUps,
    invoicePdf: pdfAnswers(),
    billingMode: config.billing?.mode,
    outgoing,
    askOdoo,
    connectionSealing: sealing('connections'),
    httpConnections: config.erp.allowHttp,
    instances: config.erpInstances,
    erps,
    erpsOfDumps,
    routineSealing: sealing('routines'),
    webhookSealing: sealing('webhooks'),
    httpWebhooks: config.webhooks.allowHttp,
  };
}
