import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { mergeQuery, planQuery, pullRequestQuery } from '../../data/task.ts';
import type { Look } from '../../ui/button.tsx';
import { FailedChecks } from './failed-checks.tsx';
import { asksFirst, merge, useTarget, withStage } from './merge.ts';
import type { ViewName } from './panel-names.ts';
import { askLabel, goAlong, type Review, useReview } from './review.ts';
import { useRevising } from './revising.ts';
import { type Merge, type Task, WAITS } from './states.ts';

type Plan = components['schemas']['Plan'];
type PullRequest = components['schemas']['PullRequest'];

/** An act of the bar, a dialog that it opens, or the document that it leads to. */
export type Act = {
  label: string;
  look?: Look;
} & (
  | { run: () => PromiseLike<unknown> }
  | { opens: 'changes' | 'reject' | 'merge' }
  | { leads: ViewName }
);

/** What the acts depend on beside the task. */
interface Seen {
  /** The version of the plan that was on the screen. */
  seen: number | undefined;
  /** The document that is shown, or the conversation instead of one. */
  view: ViewName;
  /** Whether what the agent asks is on the screen. */
  asked: boolean;
}

/** What the task waits for, in words, what the person may do about it, and what that is about. */
export function useActs(task: Task, seen: Seen, began: boolean) {
  const { id } = task;
  const review = useReview(task);
  const revising = useRevising(id);
  const plan = useQuery({ ...planQuery(id), enabled: task.plan !== undefined }).data;
  const opened = task.pull_request !== undefined;
  const pull = useQuery({ ...pullRequestQuery(id), enabled: opened }).data;
  const merging = useQuery({
    ...mergeQuery(id),
    enabled: began || pull?.available_actions.includes('get_merge') === true,
  }).data;
  const target = useTarget(id, task.pull_request?.state === 'open');
  const known = { plan, pull, merging, target, review, revising };
  return { ...actsOf(task, seen, known), plan, pull, target, review };
}

interface Known {
  plan: Plan | undefined;
  pull: PullRequest | undefined;
  merging: Merge | undefined;
  target: ReturnType<typeof useTarget>;
  review: Review;
  revising: boolean;
}

function actsOf(
  task: Task,
  { seen, view, asked }: Seen,
  { plan, pull, merging, target, review, revising }: Known,
): { says: ReactNode; acts: Act[] } {
  const { id: task_id, status } = task;
  const opened = task.pull_request !== undefined;
  const can = (action: string) =>
    [task, plan, pull].some((item) => item?.available_actions.includes(action as never));
  const acts: Act[] = [];
  const version = plan?.version;
  if (can('cancel_task'))
    acts.push({
      label: 'Stop the agent',
      run: () => guildhall.post('/api/tasks/{task_id}/cancel', { task_id }),
    });
  if (can('resume_task'))
    acts.push({
      label: 'Resume',
      look: 'primary',
      run: () => guildhall.post('/api/tasks/{task_id}/resume', { task_id }),
    });
  if (status === 'awaiting_approval') {
    if (seen !== version && version !== undefined) {
      acts.push({ label: `Read version ${version}`, look: 'primary', leads: 'plan' });
      const says =
        seen === undefined
          ? 'The plan waits for you: read it to approve it.'
          : 'A newer version of the plan has arrived: read it to approve it.';
      return { says, acts };
    }
    if (revising)
      return {
        says: 'You are changing the plan: save your version or cancel, then answer it.',
        acts,
      };
    if (view !== 'plan') acts.push({ label: 'Read the plan', leads: 'plan' });
    if (can('approve_plan'))
      acts.push({
        label: `Approve version ${version}`,
        look: 'primary',
        run: () =>
          guildhall.post(
            '/api/tasks/{task_id}/plan/approve',
            { task_id },
            { ifMatch: `"${version}"` },
          ),
      });
    if (can('request_plan_changes')) acts.push({ label: askLabel(review), opens: 'changes' });
    if (can('reject_plan')) acts.push({ label: 'Reject', look: 'danger', opens: 'reject' });
    return {
      says: can('approve_plan')
        ? `Read the plan. After you approve it, the agent builds it.${goAlong(review.plan.length)}`
        : 'A member of the project can approve the plan.',
      acts,
    };
  }
  if (review.code.length > 0) acts.push({ label: askLabel(review), opens: 'changes' });
  if (status === 'awaiting_answer') {
    if (!asked) acts.push({ label: 'See the question', look: 'primary', leads: 'chat' });
    return { says: 'The agent asks: answer it in the conversation.', acts };
  }
  if (status === 'failed') {
    if (view !== 'pod') acts.push({ label: 'See the log', leads: 'pod' });
    return { says: task.status_reason, acts };
  }
  if (status === 'queued' && task.status_reason !== undefined)
    return { says: WAITS[task.status_reason] ?? task.status_reason, acts };
  if (status !== 'ready') return { says: WORKING[status] ?? '', acts };
  // There is one for a task; once it is merged or closed, there is nothing to open or to merge.
  if (can('open_pull_request') && !opened)
    acts.push({
      label: 'Open a pull request',
      look: 'primary',
      run: () => guildhall.post('/api/tasks/{task_id}/pull-request', { task_id }),
    });
  const state = pull?.state;
  if (can('fix_checks'))
    acts.push({
      label: 'Let the agent fix the checks',
      run: () => guildhall.post('/api/tasks/{task_id}/pull-request/fix-checks', { task_id }),
    });
  // Those who may merge in spite of its checks do so where these are shown.
  if (
    pull !== undefined &&
    can('merge_task') &&
    state === 'open' &&
    ['passed', 'none'].includes(pull.checks.state) &&
    merging?.state !== 'queued' &&
    target !== undefined
  ) {
    const label = `Merge into ${withStage(pull.base, target.stage)}`;
    acts.push(
      asksFirst(pull, target)
        ? { label, look: 'primary', opens: 'merge' }
        : { label, look: 'primary', run: () => merge(pull) },
    );
  }
  if (state === 'open' && pull?.checks.state === 'failed')
    return { says: <FailedChecks taskId={task_id} />, acts };
  return { says: saysOf(task, state, merging), acts };
}

const WORKING: Partial<Record<Task['status'], string>> = {
  queued: 'It begins as soon as a worker is free.',
  planning: 'The agent writes a plan. You may close this page: it waits for you.',
  building: 'The agent builds what was approved.',
  cancelled: 'It was stopped. Write to the agent to go on.',
};

function saysOf(task: Task, request: string | undefined, merge: Merge | undefined): string {
  if (request === 'merged')
    return 'The change is merged. Begin a new task for what comes next: what is built here from now on stays on its branch.';
  if (request === 'closed')
    return 'The pull request was closed without a merge. Open it again where it was closed, or begin a new task.';
  if (merge?.state === 'queued') return merge.reason ?? 'A worker merges it.';
  if (request === 'open') return 'The pull request is open: when its checks have passed, merge it.';
  return task.plan?.approved_version === undefined
    ? 'Write to the agent to go on.'
    : 'The work is committed. Look at the code, then open a pull request.';
}
