import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { useBilling } from '../../data/config.ts';
import { projectQuery } from '../../data/project.ts';
import { useUser } from '../../data/session.ts';
import { workspaceQuery } from '../../data/workspace.ts';
import { exactDollars } from '../../ui/amount.ts';
import { PAUSED, type Task } from './states.ts';

type Project = components['schemas']['Project'];

/** What lets a paused task go on, that the person may do from its page. */
export type WayOn = 'funds' | 'limits' | 'task cap' | 'project cap';

/** Why a task is paused, in a sentence, and what the person may do about it. */
export function usePaused(task: Task): { says: string | undefined; ways: WayOn[] } {
  const reason = task.status === 'paused' ? task.status_reason : undefined;
  const project = useQuery(projectQuery(task.project_id)).data;
  const pays = useMayPay(project, reason !== undefined);
  if (reason === undefined) return { says: undefined, ways: [] };
  if (reason === 'spend_cap') return atCap(task, project);
  const says = PAUSED[reason] ?? reason;
  if (reason === 'insufficient_funds' || reason === 'account_not_active')
    return { says, ways: pays ? ['funds'] : [] };
  if (reason === 'spend_limit') return { says, ways: pays ? ['limits'] : [] };
  return { says, ways: [] };
}

/** Its own cap, or that of its project, which is for all tasks together. */
function atCap(task: Task, project: Project | undefined): { says: string; ways: WayOn[] } {
  const { cap, amount } = task.spend;
  const common = project?.spend_cap;
  const own = cap !== undefined && (common === undefined || Number(amount) >= Number(cap));
  const shared = common !== undefined && !own;
  const which = own
    ? `The task has reached its own spending cap, ${exactDollars(cap)}.`
    : cap === undefined
      ? `The tasks of the project have together reached its spending cap${common === undefined ? '' : `, ${exactDollars(common)}`}.`
      : `The next step would exceed the cap of the task, ${exactDollars(cap)}, or that of the project, ${exactDollars(common ?? '')}.`;
  const ways: WayOn[] = [];
  if (cap !== undefined && task.available_actions.includes('update_task')) ways.push('task cap');
  if (shared && project?.available_actions.includes('update_project')) ways.push('project cap');
  return { says: `${which} It goes on by itself when the cap is raised.`, ways };
}

/** Whether the person may pay for the project: it is theirs, or they may pay for its workspace. */
function useMayPay(project: Project | undefined, wanted: boolean): boolean {
  const user = useUser();
  const billing = useBilling();
  const org = project?.organization_id;
  const workspace = useQuery({
    ...workspaceQuery(org ?? ''),
    enabled: wanted && org !== undefined,
  }).data;
  if (billing === 'off' || project === undefined) return false;
  return org === undefined
    ? project.owner_user_id === user.id
    : (workspace?.available_actions.includes('add_workspace_funds') ?? false);
}
