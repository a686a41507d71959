import { hash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { acrossWorkspaces } from '../../access/account.ts';
import { hasGit } from '../../code/index.ts';
import { sql } from '../../db/sql.ts';
import { boolean, oneOf } from '../../http/input/fields.ts';
import { LONGEST_PAGE } from '../../http/paging.ts';
import { etag, isCurrent } from '../../http/preconditions.ts';
import { BODY_LIMIT } from '../../http/read-body.ts';
import { usd } from '../../http/resource.ts';
import { type Route, route } from '../../http/route.ts';
import { catalogSchema } from '../../platform/catalog/catalog.ts';
import {
  BILLING_MODES,
  type BillingMode,
  type Config,
  PROJECT_CREATION,
  requireBilling,
  WORKSPACE_CREATION,
} from '../../platform/config/config.ts';

/** What of the configuration callers may know. */
export type ShownConfig = Pick<
  Config,
  | 'version'
  | 'catalog'
  | 'erpInstances'
  | 'erpPrograms'
  | 'topUps'
  | 'rateLimits'
  | 'retention'
  | 'billing'
  | 'mail'
  | 'github'
  | 'creation'
>;

const days = (description: string) => Type.Optional(Type.Integer({ description }));

const shown = Type.Object(
  {
    version: Type.String({ description: 'The version of this server.' }),
    ...catalogSchema.properties,
    limits: Type.Object({
      body_bytes: Type.Integer({ description: 'The largest JSON body of most operations.' }),
      page_size: Type.Integer({ description: 'The largest `limit` of a list.' }),
      top_up_minimum: usd({ description: 'USD that one add-funds request may ask for at least.' }),
      top_up_maximum: usd({ description: 'USD that one add-funds request may ask for at most.' }),
      requests_per_minute: Type.Integer({ description: 'Per user.' }),
      add_funds_per_minute: Type.Integer({ description: 'Add-funds requests per user.' }),
      invitations_per_minute: Type.Integer({ description: 'Invitations that a user sends.' }),
    }),
    retention: Type.Object(
      {
        events_days: Type.Integer({ description: 'Events of tasks, after the last turn.' }),
        logs_days: days('Logs of checks, deploys and pods.'),
        conversations_days: days(
          'Messages, texts of plans, comments and questions of a task, after it was archived.',
        ),
        files_days: days('Attachments and artifacts of a task, after it was archived.'),
      },
      { description: 'After how many days something is removed; left out: never.' },
    ),
    features: Type.Object(
      {
        billing: oneOf(BILLING_MODES, {
          description:
            'How work is paid for: by cards through `stripe`; by `credits` that the operator ' +
            'grants; `off`: not at all, and costs are only counted; on the `sandbox`, by test cards.',
        }),
        cards: oneOf(['sandbox', 'stripe', 'none'], {
          description: 'What charges cards; `sandbox` moves no money, and `none` takes no cards.',
        }),
        code_hosts: Type.Boolean({
          description: 'Repositories and pull requests: whether one of `code_hosts` is available.',
        }),
        pods: Type.Boolean({ description: 'Machines in which agents work: as `agents`.' }),
        agents: Type.Boolean({
          description:
            'Agents that write and carry out plans: whether a process carries out tasks now. ' +
            'While none does, tasks wait, and `status_reason` says why.',
        }),
        confined: Type.Boolean({
          description:
            'What agents run is kept apart from the machine of the server. Where it is not, ' +
            'whoever may give an agent a task can read what the server may read.',
        }),
        erp_instances: Type.Boolean({
          description: 'Throwaway ERP systems in which agents try out what they build.',
        }),
        erp_sandbox: Type.Boolean({
          description: 'These are a fake Odoo, for trying out: no ERP systems.',
        }),
        erp_dumps: Type.Boolean({
          description: 'These can start from dumps of Odoo databases, in one version at least.',
        }),
        mail: Type.Boolean({
          description: 'Mail leaves this server; without it, mail is stored as files.',
        }),
        create_workspaces: oneOf(WORKSPACE_CREATION, { description: 'Who may create workspaces.' }),
        create_projects: oneOf(PROJECT_CREATION, {
          description:
            'Who may create projects; `in_workspaces`: whoever may in a workspace, and there are no ' +
            'personal ones.',
        }),
      },
      { description: 'What this server can do.' },
    ),
    code_hosts: Type.Array(
      Type.Object({
        host: oneOf(['local', 'github', 'gitea']),
        available: boolean(),
        reason: Type.Optional(Type.String({ description: 'Why it is not available.' })),
      }),
      { description: 'Where the code of projects can be.' },
    ),
  },
  { $id: 'Config' },
);

const SECONDS_KEPT = 60;

/** What the processes that carry out tasks now can do. */
interface AtWork {
  agents: boolean;
  confined: boolean;
}

/**
 * What this server offers: the same for every caller, and, but for what its workers can do, until
 * its next start.
 */
export const getConfig = ({ config }: { config: ShownConfig }): Route => {
  const known = new Map<string, { item: string; tag: string }>();
  const current = (git: boolean, { agents, confined }: AtWork) => {
    const key = [git, agents, confined].join();
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const item = JSON.stringify(shownOf(config, git, { agents, confined }));
    const made = { item, tag: etag(hash('sha256', item, 'base64url')) };
    known.set(key, made);
    return made;
  };
  return route({
    method: 'GET',
    path: '/api/config',
    area: 'Account',
    operationId: 'get_config',
    summary: 'Get the configuration',
    description:
      'ERP versions, models, limits, and what this server can do: the same for every caller. It ' +
      `may be kept for ${SECONDS_KEPT} seconds; send its \`ETag\` as \`If-None-Match\` to learn ` +
      'whether it has changed.',
    access: acrossWorkspaces,
    responses: {
      200: {
        description: 'The configuration.',
        headers: ['ETag', 'Cache-Control'],
        schema: shown,
        example: shownOf(config, true),
      },
      304: {
        description: 'The configuration that you have is the current one.',
        headers: ['ETag', 'Cache-Control'],
      },
    },
    headers: { 'If-None-Match': 'The ETag of the configuration that you have.' },
    errors: [],
    handle: async ({ headers: sent, statement }) => {
      const git = await hasGit();
      return statement<AtWork>({ select: atWork }, (now) => {
        const { item, tag } = current(git, now);
        const headers = { etag: tag, 'cache-control': `private, max-age=${SECONDS_KEPT}` };
        return isCurrent(sent['if-none-match'], tag)
          ? { status: 304, headers }
          : { status: 200, body: item, headers };
      });
    },
  });
};

const atWork = sql`
  select why_tasks_wait() is null as agents,
         coalesce((select bool_and(confined) from task_worker
                    where fault is null and seen_at > now() - interval '30 seconds'),
                  false) as confined`;

const WITHOUT_GIT =
  'This server has no Git, or one older than 2.38: ask its operator to install a newer one';

const WITHOUT_APP =
  'This server has no GitHub App: ask its operator to set one up (docs/github.md)';

const cardsOf = (mode: BillingMode) => (mode === 'credits' || mode === 'off' ? 'none' : mode);

/** The answer. `git`: whether this machine has a Git that can host repositories. */
export const shownOf = (
  {
    version,
    catalog,
    erpInstances,
    erpPrograms,
    topUps,
    rateLimits,
    retention,
    mail,
    github,
    creation,
    ...rest
  }: ShownConfig,
  git: boolean,
  { agents, confined }: AtWork = { agents: true, confined: true },
): Static<typeof shown> => ({
  version,
  ...catalog,
  limits: {
    body_bytes: BODY_LIMIT,
    page_size: LONGEST_PAGE,
    top_up_minimum: topUps.minimum.toFixed(2),
    top_up_maximum: topUps.maximum.toFixed(2),
    requests_per_minute: rateLimits.user,
    add_funds_per_minute: rateLimits.addFunds,
    invitations_per_minute: rateLimits.invitations,
  },
  retention: {
    events_days: retention.events,
    ...(retention.logs === undefined ? {} : { logs_days: retention.logs }),
    ...(retention.conversations === undefined
      ? {}
      : { conversations_days: retention.conversations }),
    ...(retention.files === undefined ? {} : { files_days: retention.files }),
  },
  features: {
    billing: requireBilling(rest).mode,
    cards: cardsOf(requireBilling(rest).mode),
    code_hosts: git || github !== undefined,
    pods: agents,
    agents,
    confined,
    erp_instances: erpInstances.driver !== 'off',
    erp_sandbox: erpInstances.sandbox,
    erp_dumps:
      erpInstances.driver !== 'off' && erpPrograms.some(({ prepare }) => prepare !== undefined),
    mail: mail.server !== undefined,
    create_workspaces: creation.workspaces,
    create_projects: creation.projects,
  },
  code_hosts: [
    { host: 'local', available: git, ...(git ? {} : { reason: WITHOUT_GIT }) },
    {
      host: 'github',
      available: github !== undefined,
      ...(github === undefined && { reason: WITHOUT_APP }),
    },
    // Each workspace connects servers of its own.
    { host: 'gitea', available: git, ...(git ? {} : { reason: WITHOUT_GIT }) },
  ],
});
