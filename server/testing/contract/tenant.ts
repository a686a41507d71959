import assert from 'node:assert/strict';
import { EXAMPLES } from '../../http/examples.ts';
import type { Route } from '../../http/route.ts';
import { giveCommits } from '../fixtures/code/task-branch.ts';
import { dumpOf } from '../fixtures/erp/zips.ts';
import type { User } from '../fixtures/tenants.ts';
import type { Harness, Reply } from '../harness/harness.ts';
import type { IdField } from './id-fields.ts';
import { partsOf, type Standing, type TenantNeeds } from './tenant-parts.ts';

export type { Standing } from './tenant-parts.ts';

/** A workspace with everything in it that an operation can be about, and a caller. */
export interface Tenant {
  owner: User;
  caller: User;
  /** A member with a role of their own on the project: who samples name beside the caller. */
  successor: User;
  /** The caller's. */
  card: string;
  /** Of its request, and of no other. */
  option: string;
  /** In the link of the invitation that the caller has received. */
  inviteToken: string;
  /** By the names of path parameters. */
  ids: Record<string, string>;
  /** Other ids, by operation, where those would be refused or change nothing. */
  otherIds: Record<string, Record<string, string>>;
}

/** The ids of a tenant that an operation of another one must refuse. */
export const foreignIds = (
  { kind }: IdField,
  { ids, owner, successor, card, option }: Tenant,
): string[] =>
  ({
    user: [owner.id, successor.id],
    card: [card],
    role: [ids.role_id as string],
    team: [ids.team_id as string],
    workspace: [ids.org_id as string],
    project: [ids.project_id as string],
    task: [ids.task_id as string],
    attachment: [ids.attachment_id as string],
    option: [option],
    connection: [ids.org_id as string],
  })[kind];

/** The good request of a route, with the ids of a tenant. At its ERP server, nothing answers. */
export const sampleOf = (route: Route, tenant: Tenant, odooUrl = 'https://127.0.0.1:9') =>
  route.sample?.({
    ...idsOf(route, tenant),
    user_id: tenant.successor.id,
    payment_method_id: tenant.card,
    invite_token: tenant.inviteToken,
    odoo_url: odooUrl,
  } as never) ?? {};

/** The status of its success: of one that may find what it makes, the one for making it. */
export const successOf = ({ responses }: Route): number =>
  201 in responses ? 201 : Number(Object.keys(responses)[0]);

/** What a tenant is made for. */
interface TenantOptions {
  /** A new person without it. */
  caller?: User | undefined;
  /** It then has what the samples of these operations need, and little else. */
  only?: readonly Pick<Route, 'operationId' | 'path'>[];
}

/** A tenant of its own, whose caller stands in it like this. */
export async function makeTenant(
  needs: TenantNeeds,
  standing: Standing = 'owner',
  { caller: given, only }: TenantOptions = {},
): Promise<Tenant> {
  const { fixtures } = needs;
  const caller = given ?? (await fixtures.user());
  const owner = standing === 'owner' ? caller : await fixtures.user();
  const successor = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '20.00' });
  await fixtures.member(workspace, successor);
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, successor, 'member');
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  if (standing === 'admin' || standing === 'member' || standing === 'viewer')
    await fixtures.member(workspace, caller, standing);
  if (standing === 'collaborator') await fixtures.grant(project, caller, 'member');
  await fixtures.fund({ userId: caller.id }, '15.00');
  await fixtures.erpInstance(task);
  await fixtures.variable(project, { by: owner });
  await fixtures.mcpServer(project, { by: owner });
  const team = await fixtures.team(workspace);
  await fixtures.teamMember(team, successor);
  await fixtures.teamProject(team, project);
  const card = await fixtures.card(caller);
  const base = { standing, owner, caller, successor, workspace, project, task, card };
  const parts = partsOf(needs, base);
  const ids: Record<string, string> = {
    org_id: workspace,
    team_id: team,
    project_id: project,
    task_id: task,
    role_id: await fixtures.role(workspace),
    user_id: successor.id,
    payment_method_id: card,
  };
  const wanted = only?.flatMap(({ path }) => idsIn(path));
  for (const [name, make] of Object.entries(parts.ids))
    if (wanted?.includes(name) ?? true) Object.assign(ids, await make());
  const otherIds: Tenant['otherIds'] = {};
  for (const [operationId, make] of Object.entries(parts.otherIds))
    if (only?.some((route) => route.operationId === operationId) ?? true)
      otherIds[operationId] = await make();
  const received = otherIds.accept_invitation?.invitation_id;
  const inviteToken = received === undefined ? '' : tokenOf(needs.inviteLink(received, 1));
  return { owner, caller, successor, card, option: parts.option, inviteToken, ids, otherIds };
}

const tokenOf = (link: string) => new URL(link).searchParams.get('token') as string;

/** Tenants for samples of operations: one for all that read, a new one for each that changes something. */
export function tenantsFor(
  needs: TenantNeeds,
  standing?: Standing,
): (route: Pick<Route, 'method' | 'operationId' | 'path'>) => Promise<Tenant> {
  let reader: Promise<Tenant> | undefined;
  return async (route) => {
    if (route.method !== 'GET') return makeTenant(needs, standing, { only: [route] });
    reader ??= makeTenant(needs, standing);
    return reader;
  };
}

/** The ids of an operation's sample. */
export const idsOf = (
  { operationId }: Route,
  { ids, otherIds }: Tenant,
): Record<string, string> => ({
  ...ids,
  ...otherIds[operationId],
});

/** The ids in a path. Versions and messages are numbered, alike in every task. */
export const idsIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+_id)\}/g)].map(([, name]) => name as string);

/** What differs from a good request. */
export interface Change {
  key?: string | undefined;
  ids?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Bytes instead of the body. */
  raw?: string;
  headers?: Record<string, string>;
}

const isId = (text: string) => /^[0-9a-f-]{36}$/.test(text);

/** Operations whose sample needs a commit on the task's branch. */
export const OF_A_BRANCH = ['open_pull_request', 'merge_task'];

/** Sends the sample of an operation, but for `change`. A key of undefined is none. */
export async function requestSample(
  harness: Harness,
  route: Route,
  tenant: Tenant,
  change: Change = {},
): Promise<Reply> {
  const { query, body, headers } = sampleOf(route, tenant);
  const ids = {
    version: '1',
    number: '1',
    name: EXAMPLES.name,
    ...idsOf(route, tenant),
    ...change.ids,
  };
  if (OF_A_BRANCH.includes(route.operationId)) {
    const { task_id: taskId = '', project_id: projectId = '' }: Record<string, string> = ids;
    if (isId(taskId)) await giveCommits(harness.repositories, { projectId, taskId });
  }
  const path = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => ids[name as keyof typeof ids] ?? assert.fail(`no ${name}`),
  );
  const search = new URLSearchParams({ ...query, ...change.query });
  const sent =
    body === undefined && change.body === undefined
      ? undefined
      : Array.isArray(body)
        ? body.map((item, i) => (i === 0 ? { ...item, ...change.body } : item))
        : { ...body, ...change.body };
  return harness.request(route.method, search.size === 0 ? path : `${path}?${search}`, {
    key: 'key' in change ? change.key : tenant.caller.key,
    headers: { ...headers, ...change.headers },
    ...(change.raw !== undefined
      ? { raw: change.raw }
      : route.operationId === 'upload_odoo_dump'
        ? { raw: dumpOf() }
        : route.method === 'GET'
          ? {}
          : { body: sent }),
  });
}
