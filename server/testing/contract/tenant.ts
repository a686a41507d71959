import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EXAMPLES } from '../../http/examples.ts';
import type { Route } from '../../http/route.ts';
import { succeededTopUp } from '../fixtures/billing/top-ups.ts';
import { giveCommits } from '../fixtures/code/task-branch.ts';
import { attach, produce } from '../fixtures/tasks/stored-files.ts';
import type { User } from '../fixtures/tenants.ts';
import type { Harness, Reply } from '../harness/harness.ts';
import { onGithub } from './github-ids.ts';
import type { IdField } from './id-fields.ts';

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

/** What the caller is: in the workspace, or in its one project alone, or nothing. */
export type Standing = 'owner' | 'admin' | 'member' | 'viewer' | 'collaborator' | 'stranger';

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

type TenantNeeds = Pick<Harness, 'fixtures' | 'inviteLink' | 'db' | 'files' | 'github'>;

/** A tenant of its own, whose caller, a new person unless given, stands in it like this. */
export async function makeTenant(
  { fixtures, inviteLink, db, files, github }: TenantNeeds,
  standing: Standing = 'owner',
  given?: User,
): Promise<Tenant> {
  const caller = given ?? (await fixtures.user());
  const owner = standing === 'owner' ? caller : await fixtures.user();
  const successor = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '20.00' });
  await fixtures.member(workspace, successor);
  const project = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(project, successor, 'member');
  const task = await fixtures.task(project, owner);
  await fixtures.revision(task);
  const invitation = await fixtures.invitation(workspace, { by: owner });
  if (standing === 'admin' || standing === 'member' || standing === 'viewer')
    await fixtures.member(workspace, caller, standing);
  if (standing === 'collaborator') await fixtures.grant(project, caller, 'member');
  await fixtures.fund({ userId: caller.id }, '15.00');
  await fixtures.erpInstance(task);
  await fixtures.variable(project, { by: owner });
  const team = await fixtures.team(workspace);
  const inviter = await fixtures.user();
  const received = await fixtures.invitation(await fixtures.workspace(inviter), {
    email: caller.email,
    by: inviter,
  });
  await fixtures.teamMember(team, successor);
  await fixtures.teamProject(team, project);
  const card = await fixtures.card(caller);
  const option = randomUUID();
  const options = ['yes', 'no', option].map((id) => ({ id, name: id }));
  const merged = await fixtures.task(project, owner);
  await fixtures.pullRequest(merged, owner);
  await fixtures.merge(merged, owner);
  const offered = await fixtures.task(project, owner);
  await fixtures.pullRequest(offered, owner);
  const paid = { userId: caller.id, card };
  const { invoiceId: ownInvoice } = await succeededTopUp(db, paid);
  const { invoiceId } = await succeededTopUp(db, { ...paid, organizationId: workspace });
  const ids = {
    org_id: workspace,
    team_id: team,
    project_id: project,
    task_id: task,
    request_id: await fixtures.request(task, options),
    comment_id: await fixtures.planComment(task, caller),
    invitation_id: invitation,
    attachment_id: await attach({ db, files }, { project, task, by: owner }),
    artifact_id: await produce({ db, files }, task),
    repository_id: await fixtures.repository(project),
    connection_id: await fixtures.odooConnection(project),
    check_id: await fixtures.check(offered),
    deploy_id: await fixtures.deploy(merged),
    role_id: await fixtures.role(workspace),
    user_id: successor.id,
    setup_id: await fixtures.cardSetup(caller),
    payment_method_id: card,
    top_up_id: await fixtures.attendedTopUp(caller),
    invoice_id: invoiceId,
    ...(github && (await onGithub(github, db, { organizationId: workspace, userId: caller.id }))),
  };
  const diffComment = await fixtures.diffComment(task, caller);
  // A workspace in which the caller stands as in the first one, but never as the owner.
  const joined = await fixtures.workspace(successor);
  if (standing !== 'collaborator' && standing !== 'stranger')
    await fixtures.member(joined, caller, standing === 'owner' ? 'admin' : standing);
  const empty = { team_id: await fixtures.team(workspace) };
  // A project without an owner, in which the caller stands as in the workspace.
  const released = await fixtures.project({});
  const role = standing === 'owner' ? 'admin' : standing === 'collaborator' ? 'member' : standing;
  if (role !== 'stranger') await fixtures.grant(released, caller, role);
  const queued = await fixtures.task(project, owner);
  await fixtures.message(queued, owner);
  const cancelled = await fixtures.task(project, owner);
  await fixtures.turn(cancelled, { state: 'cancelled' });
  await fixtures.taskStatus(cancelled, 'cancelled');
  await fixtures.mergeTarget(project, 'staging');
  const failing = await fixtures.task(project, owner);
  await fixtures.pullRequest(failing, owner);
  await fixtures.check(failing, 'failure');
  const shared = await fixtures.card(caller);
  if (standing === 'owner' || standing === 'admin') await fixtures.cardShare(workspace, shared);
  const active = await fixtures.odooConnection(project);
  await fixtures.odooActive(task, active);
  const importing = await fixtures.repository(project);
  await fixtures.repositoryImport(importing, owner);
  const otherIds = {
    cancel_repository_import: { repository_id: importing },
    deactivate_odoo_connection: { connection_id: active },
    unshare_payment_method: { payment_method_id: shared },
    update_diff_comment: { comment_id: diffComment },
    delete_diff_comment: { comment_id: diffComment },
    get_invoice: { invoice_id: ownInvoice },
    get_invoice_pdf: { invoice_id: ownInvoice },
    get_pull_request: { task_id: offered },
    set_task_merge_target: { task_id: offered },
    merge_task: { task_id: offered },
    list_checks: { task_id: offered },
    get_check_log: { task_id: offered },
    get_merge: { task_id: merged },
    fix_checks: { task_id: failing },
    delete_message: { task_id: queued },
    cancel_task: { task_id: queued },
    resume_task: { task_id: cancelled },
    leave_workspace: { org_id: joined },
    accept_invitation: { invitation_id: received },
    decline_invitation: { invitation_id: received },
    add_team_member: empty,
    add_team_project: empty,
    transfer_project: { org_id: await fixtures.workspace(caller) },
    claim_project: { project_id: released },
    revoke_project_invitation: { invitation_id: await fixtures.projectInvitation(project) },
  };
  const inviteToken = new URL(inviteLink(received, 1)).searchParams.get('token') as string;
  return { owner, caller, successor, card, option, inviteToken, ids, otherIds };
}

/** Tenants for samples of operations: one for all that read, a new one for each that changes something. */
export function tenantsFor(
  needs: TenantNeeds,
  standing?: Standing,
): (route: Pick<Route, 'method'>) => Promise<Tenant> {
  let reader: Promise<Tenant> | undefined;
  return async ({ method }) => {
    if (method !== 'GET') return makeTenant(needs, standing);
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
      : route.method === 'GET'
        ? {}
        : { body: sent }),
  });
}
