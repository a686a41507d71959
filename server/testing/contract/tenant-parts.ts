import { randomUUID } from 'node:crypto';
import { newToken } from '../../tasks/routines/token.ts';
import { succeededTopUp } from '../fixtures/billing/top-ups.ts';
import { attach, produce } from '../fixtures/tasks/stored-files.ts';
import type { User } from '../fixtures/tenants.ts';
import type { Harness } from '../harness/harness.ts';
import { onGithub } from './github-ids.ts';

/** What the caller is: in the workspace, or in its one project alone, or nothing. */
export type Standing = 'owner' | 'admin' | 'member' | 'viewer' | 'collaborator' | 'stranger';

export type TenantNeeds = Pick<Harness, 'fixtures' | 'inviteLink' | 'db' | 'files' | 'github'>;

/** The people and things that every tenant has. */
interface TenantBase {
  standing: Standing;
  owner: User;
  caller: User;
  successor: User;
  workspace: string;
  project: string;
  task: string;
  card: string;
}

type MakeIds = () => Promise<Record<string, string>>;

/** What a tenant has beside its base, each made at most once, and only when it is asked for. */
export function partsOf(
  { fixtures, db, files, github }: TenantNeeds,
  { standing, owner, caller, successor, workspace, project, task, card }: TenantBase,
): { option: string; ids: Record<string, MakeIds>; otherIds: Record<string, MakeIds> } {
  const option = randomUUID();
  const options = ['yes', 'no', option].map((id) => ({ id, name: id }));
  const newTask = () => fixtures.task(project, owner);
  const invoiceOf = async (organizationId?: string) => {
    const paid = { userId: caller.id, card, ...(organizationId && { organizationId }) };
    return { invoice_id: (await succeededTopUp(db, paid)).invoiceId };
  };
  const merged = once(async () => {
    const task_id = await newTask();
    await fixtures.pullRequest(task_id, owner);
    await fixtures.merge(task_id, owner);
    return { task_id };
  });
  const offered = once(async () => {
    const task_id = await newTask();
    await fixtures.pullRequest(task_id, owner);
    return { task_id, check_id: await fixtures.check(task_id) };
  });
  const onOffered = async () => ({ task_id: (await offered()).task_id });
  const queued = once(async () => {
    const task_id = await newTask();
    await fixtures.message(task_id, owner);
    return { task_id };
  });
  const received = once(async () => {
    const by = await fixtures.user();
    const workspaceOfOthers = await fixtures.workspace(by);
    const { email } = caller;
    return { invitation_id: await fixtures.invitation(workspaceOfOthers, { email, by }) };
  });
  const installed = once(
    () => github && onGithub(github, db, { organizationId: workspace, userId: caller.id }),
  );
  const planComment = once(async () => ({ comment_id: await fixtures.planComment(task, caller) }));
  const diffComment = once(async () => ({ comment_id: await fixtures.diffComment(task, caller) }));
  const withDump = once(async () => {
    await fixtures.odooDump(project, owner);
    return { project_id: project };
  });
  const ownInvoice = once(() => invoiceOf());
  const emptyTeam = once(async () => ({ team_id: await fixtures.team(workspace) }));

  return {
    option,
    ids: {
      invitation_id: async () => ({
        invitation_id: await fixtures.invitation(workspace, { by: owner }),
      }),
      request_id: async () => ({ request_id: await fixtures.request(task, options) }),
      comment_id: planComment,
      attachment_id: async () => ({
        attachment_id: await attach({ db, files }, { project, task, by: owner }),
      }),
      artifact_id: async () => ({ artifact_id: await produce({ db, files }, task) }),
      repository_id: async () => ({ repository_id: await fixtures.repository(project) }),
      connection_id: async () => ({ connection_id: await fixtures.odooConnection(project) }),
      check_id: async () => ({ check_id: (await offered()).check_id }),
      deploy_id: async () => ({ deploy_id: await fixtures.deploy((await merged()).task_id) }),
      gitea_connection_id: async () => ({
        gitea_connection_id: await fixtures.giteaConnection(workspace),
      }),
      service_account_id: async () => ({
        service_account_id: (await fixtures.serviceAccount(workspace)).id,
      }),
      routine_id: async () => ({ routine_id: await fixtures.routine(project, owner) }),
      webhook_id: async () => ({ webhook_id: await fixtures.webhook(project) }),
      delivery_id: async () => {
        const webhook_id = await fixtures.webhook(project);
        return { webhook_id, delivery_id: await fixtures.webhookDelivery(webhook_id) };
      },
      mail_id: async () => ({ mail_id: await fixtures.deadMail() }),
      setup_id: async () => ({ setup_id: await fixtures.cardSetup(caller) }),
      top_up_id: async () => ({ top_up_id: await fixtures.attendedTopUp(caller) }),
      invoice_id: () => invoiceOf(workspace),
      installation_id: async () => (await installed()) ?? {},
      github_repository_id: async () => (await installed()) ?? {},
    },
    otherIds: {
      cancel_repository_import: async () => {
        const repository_id = await fixtures.repository(project);
        await fixtures.repositoryImport(repository_id, owner);
        return { repository_id };
      },
      deactivate_odoo_connection: async () => {
        const connection_id = await fixtures.odooConnection(project);
        await fixtures.odooActive(task, connection_id);
        return { connection_id };
      },
      unshare_payment_method: async () => {
        const payment_method_id = await fixtures.card(caller);
        if (standing === 'owner' || standing === 'admin')
          await fixtures.cardShare(workspace, payment_method_id);
        return { payment_method_id };
      },
      get_odoo_dump: withDump,
      delete_odoo_dump: withDump,
      send_diff_comments: diffComment,
      update_diff_comment: diffComment,
      delete_diff_comment: diffComment,
      get_invoice: ownInvoice,
      get_invoice_pdf: ownInvoice,
      get_pull_request: onOffered,
      set_task_merge_target: async () => {
        await fixtures.mergeTarget(project, 'staging');
        return onOffered();
      },
      merge_task: onOffered,
      list_checks: onOffered,
      get_check_log: onOffered,
      get_merge: merged,
      fix_checks: async () => {
        const task_id = await newTask();
        await fixtures.pullRequest(task_id, owner);
        await fixtures.check(task_id, 'failure');
        return { task_id };
      },
      rotate_routine_token: async () => ({
        routine_id: await fixtures.routine(project, caller, { token: newToken() }),
      }),
      delete_message: queued,
      cancel_task: queued,
      // The comments on the version before are moved to the new one.
      revise_plan: planComment,
      resume_task: async () => {
        const task_id = await newTask();
        await fixtures.turn(task_id, { state: 'cancelled' });
        await fixtures.taskStatus(task_id, 'cancelled');
        return { task_id };
      },
      // A workspace in which the caller stands as in the first one, but never as the owner.
      leave_workspace: async () => {
        const org_id = await fixtures.workspace(successor);
        if (standing !== 'collaborator' && standing !== 'stranger')
          await fixtures.member(org_id, caller, standing === 'owner' ? 'admin' : standing);
        return { org_id };
      },
      accept_invitation: received,
      decline_invitation: received,
      add_team_member: emptyTeam,
      add_team_project: emptyTeam,
      transfer_project: async () => ({ org_id: await fixtures.workspace(caller) }),
      // A project without an owner, in which the caller stands as in the workspace.
      claim_project: async () => {
        const project_id = await fixtures.project({});
        const role =
          standing === 'owner' ? 'admin' : standing === 'collaborator' ? 'member' : standing;
        if (role !== 'stranger') await fixtures.grant(project_id, caller, role);
        return { project_id };
      },
      revoke_project_invitation: async () => ({
        invitation_id: await fixtures.projectInvitation(project),
      }),
    },
  };
}

/** What is made by the first call, for every call. */
function once<Made>(make: () => Made): () => Made {
  let made: { it: Made } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
