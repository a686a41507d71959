import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  mergeQuery,
  openCommentsQuery,
  planQuery,
  pullRequestQuery,
  refreshTask,
} from '../../data/task.ts';
import { Button, type Look } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Status } from '../../ui/status.tsx';
import { goAlong, RejectPlan, RequestChanges } from './answer-plan.tsx';
import { Estimate } from './estimate.tsx';
import { FailedChecks } from './failed-checks.tsx';
import { asksFirst, ConfirmMerge, merge, useTarget, withStage } from './merge.tsx';
import { type Merge, PAUSED, shownState, type Task, WAITS } from './states.ts';

/** An act of the bar, or a dialog that it opens. */
type Act = {
  label: string;
  look?: Look;
} & ({ run: () => PromiseLike<unknown> } | { opens: 'changes' | 'reject' | 'merge' });

/**
 * What the task waits for, and the acts that go on with it. The approval names the version that it
 * approves: when a newer one arrives, the button is gone until that one is shown.
 */
export function WaitBar({
  task,
  seen,
  merging,
}: {
  task: Task;
  /** The version of the plan that was on the screen. */
  seen: number | undefined;
  /** Whether a merge was ever asked for. */
  merging: boolean;
}): ReactNode {
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<unknown>();
  const [dialog, setDialog] = useState<'changes' | 'reject' | 'merge'>();
  const close = () => setDialog(undefined);
  const { says, acts, comments } = useActs(task, seen, merging);
  const pull = useQuery({ ...pullRequestQuery(task.id), enabled: task.pull_request !== undefined });
  const target = useTarget(task.id, task.pull_request?.state === 'open');
  const plan = useQuery({ ...planQuery(task.id), enabled: task.plan !== undefined }).data;
  const estimated =
    task.status === 'awaiting_approval' &&
    plan?.version === seen &&
    plan?.available_actions.includes('get_plan_estimate')
      ? plan
      : undefined;
  const { state, word } = shownState(task);
  const run = async (act: Act) => {
    if ('opens' in act) return setDialog(act.opens);
    setBusy(act.label);
    setError(undefined);
    try {
      await act.run();
    } catch (refusal) {
      setError(refusal);
    }
    await refreshTask(task.id);
    setBusy('');
  };
  return (
    <section
      aria-label="What the task waits for"
      className="flex flex-col gap-2 border-t border-line bg-surface px-4 py-2"
    >
      {error !== undefined && <Failure error={error} />}
      <div className="flex flex-wrap items-center gap-3">
        <span role="status">
          <Status state={state}>{word}</Status>
        </span>
        <p className="w-full text-muted sm:w-auto sm:min-w-0 sm:flex-1">{says}</p>
        <div data-acts className="flex flex-wrap gap-2">
          {acts.map((act) => (
            <Button
              key={act.label}
              look={act.look ?? 'plain'}
              busy={busy === act.label}
              disabled={busy !== ''}
              onClick={() => void run(act)}
            >
              {act.label}
            </Button>
          ))}
        </div>
      </div>
      {estimated && <Estimate task_id={task.id} version={estimated.version} />}
      {dialog === 'changes' && seen !== undefined && (
        <RequestChanges taskId={task.id} version={seen} comments={comments} onClose={close} />
      )}
      {dialog === 'merge' && pull.data && (
        <ConfirmMerge request={pull.data} target={target} onClose={close} />
      )}
      {dialog === 'reject' && seen !== undefined && (
        <RejectPlan taskId={task.id} version={seen} onClose={close} />
      )}
    </section>
  );
}

function useActs(
  task: Task,
  seen: number | undefined,
  asked: boolean,
): { says: ReactNode; acts: Act[]; comments: number } {
  const { id: task_id, status, plan } = task;
  const current = useQuery({ ...planQuery(task_id), enabled: plan !== undefined });
  const open = useQuery({
    ...openCommentsQuery(task_id),
    enabled: status === 'awaiting_approval',
  });
  const comments = open.data?.length ?? 0;
  const opened = task.pull_request !== undefined;
  const request = useQuery({ ...pullRequestQuery(task_id), enabled: opened });
  const merging = useQuery({
    ...mergeQuery(task_id),
    enabled: asked || request.data?.available_actions.includes('get_merge') === true,
  });
  const target = useTarget(task_id, task.pull_request?.state === 'open');
  const can = (action: string) =>
    [task, current.data, request.data].some((item) =>
      item?.available_actions.includes(action as never),
    );
  const acts: Act[] = [];
  const version = current.data?.version;
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
    if (seen !== version)
      return {
        says: 'A newer version of the plan has arrived: read it to approve it.',
        acts,
        comments,
      };
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
    if (can('request_plan_changes')) acts.push({ label: 'Request changes', opens: 'changes' });
    if (can('reject_plan')) acts.push({ label: 'Reject', look: 'danger', opens: 'reject' });
    return {
      says: can('approve_plan')
        ? `Read the plan. After you approve it, the agent builds it.${goAlong(comments)}`
        : 'A member of the project can approve the plan.',
      acts,
      comments,
    };
  }
  if (status === 'awaiting_answer')
    return { says: 'The agent asks: answer above.', acts, comments };
  if (status === 'paused')
    return { says: PAUSED[task.status_reason ?? ''] ?? task.status_reason, acts, comments };
  if (status === 'failed') return { says: task.status_reason, acts, comments };
  if (status === 'queued' && task.status_reason !== undefined)
    return { says: WAITS[task.status_reason] ?? task.status_reason, acts, comments };
  if (status !== 'ready') return { says: WORKING[status] ?? '', acts, comments };
  // There is one for a task; once it is merged or closed, there is nothing to open or to merge.
  if (can('open_pull_request') && !opened)
    acts.push({
      label: 'Open a pull request',
      look: 'primary',
      run: () => guildhall.post('/api/tasks/{task_id}/pull-request', { task_id }),
    });
  const state = request.data?.state;
  if (can('fix_checks'))
    acts.push({
      label: 'Let the agent fix the checks',
      run: () => guildhall.post('/api/tasks/{task_id}/pull-request/fix-checks', { task_id }),
    });
  // Those who may merge in spite of its checks do so where these are shown.
  if (
    request.data !== undefined &&
    can('merge_task') &&
    state === 'open' &&
    ['passed', 'none'].includes(request.data.checks.state) &&
    merging.data?.state !== 'queued' &&
    target !== undefined
  ) {
    const pull = request.data;
    const label = `Merge into ${withStage(pull.base, target.stage)}`;
    acts.push(
      asksFirst(pull, target)
        ? { label, look: 'primary', opens: 'merge' }
        : { label, look: 'primary', run: () => merge(pull) },
    );
  }
  if (state === 'open' && request.data?.checks.state === 'failed')
    return { says: <FailedChecks taskId={task_id} />, acts, comments };
  return { says: saysOf(task, state, merging.data), acts, comments };
}

const WORKING: Partial<Record<Task['status'], string>> = {
  queued: 'It begins as soon as a worker is free.',
  planning: 'The agent writes a plan. You may close this page: it waits for you.',
  building: 'The agent builds what was approved.',
  cancelled: 'It was stopped. Write to the agent to go on.',
};

function saysOf(task: Task, request: string | undefined, merge: Merge | undefined): string {
  if (request === 'merged') return 'The change is merged. Write to the agent to go on from here.';
  if (merge?.state === 'queued') return merge.reason ?? 'A worker merges it.';
  if (request === 'open') return 'The pull request is open: when its checks have passed, merge it.';
  return task.plan?.approved_version === undefined
    ? 'Write to the agent to go on.'
    : 'The work is committed. Look at the code, then open a pull request.';
}
