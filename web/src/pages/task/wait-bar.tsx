import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { mergeQuery, planQuery, pullRequestQuery, refreshTask } from '../../data/task.ts';
import { Button, IconButton, type Look } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Status } from '../../ui/status.tsx';
import {
  AskForChanges,
  askLabel,
  goAlong,
  RejectPlan,
  type Review,
  useReview,
} from './answer-plan.tsx';
import { Estimate } from './estimate.tsx';
import { FailedChecks } from './failed-checks.tsx';
import { asksFirst, ConfirmMerge, merge, useTarget, withStage } from './merge.tsx';
import type { ViewName } from './panel-names.ts';
import { usePaused } from './paused.ts';
import { useRevising } from './revising.ts';
import { type Merge, shownState, type Task, WAITS } from './states.ts';
import { WaysOn } from './ways-on.tsx';

/** An act of the bar, a dialog that it opens, or the document that it leads to. */
type Act = {
  label: string;
  look?: Look;
} & (
  | { run: () => PromiseLike<unknown> }
  | { opens: 'changes' | 'reject' | 'merge' }
  | { leads: ViewName }
);

/**
 * What the task waits for, and the acts that go on with it. The approval names the version that it
 * approves: when a newer one arrives, the button is gone until that one is shown.
 */
export function WaitBar({
  task,
  seen,
  merging,
  view,
  asked,
}: {
  task: Task;
  /** The version of the plan that was on the screen. */
  seen: number | undefined;
  /** Whether a merge was ever asked for. */
  merging: boolean;
  /** The document that is shown, or the conversation instead of one. */
  view: ViewName;
  /** Whether what the agent asks is on the screen. */
  asked: boolean;
}): ReactNode {
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<unknown>();
  const [dialog, setDialog] = useState<'changes' | 'reject' | 'merge'>();
  const [open, setOpen] = useState(false);
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const close = () => setDialog(undefined);
  const { says, acts, review } = useActs(task, seen, { merging, view, asked });
  const { says: paused, ways } = usePaused(task);
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
    if ('leads' in act)
      return navigate({
        to: '.',
        search: (search) => ({ ...search, panel: act.leads, version: undefined }),
        replace: true,
      });
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
  // A narrow screen has room for one button: the first that goes on, else the first.
  const main =
    acts.find(({ look }) => look === 'primary') ?? (ways.length === 0 ? acts[0] : undefined);
  return (
    <section
      aria-label="What the task waits for"
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2"
    >
      {error !== undefined && <Failure error={error} />}
      <div className={`flex items-center gap-2 sm:flex-wrap sm:gap-3 ${open ? 'flex-wrap' : ''}`}>
        <span role="status">
          <Status state={state}>{word}</Status>
        </span>
        <p
          className={`min-w-0 flex-1 text-muted sm:whitespace-normal ${open ? 'order-last w-full flex-none' : 'truncate'}`}
        >
          {paused ?? says}
        </p>
        <IconButton
          icon="chevron"
          label={open ? 'Show less' : 'Show more'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={`sm:hidden ${open ? 'rotate-90' : ''}`}
        />
        <div data-acts className="flex shrink-0 items-center gap-2 sm:shrink sm:flex-wrap">
          <WaysOn task={task} ways={ways} />
          {acts.map((act) => (
            <Button
              key={act.label}
              look={act.look ?? 'plain'}
              busy={busy === act.label}
              disabled={busy !== ''}
              className={act === main ? '' : 'max-sm:hidden'}
              onClick={() => void run(act)}
            >
              {act.label}
            </Button>
          ))}
          <span className="sm:hidden">
            <ActsMenu
              label="Other ways on"
              acts={acts
                .filter((act) => act !== main)
                .map((act) => ({
                  label: act.label,
                  danger: act.look === 'danger',
                  disabled: busy !== '',
                  onSelect: () => void run(act),
                }))}
            />
          </span>
        </div>
      </div>
      {estimated && (
        <div className={open ? '' : 'max-sm:hidden'}>
          <Estimate task_id={task.id} version={estimated.version} />
        </div>
      )}
      {dialog === 'changes' && (
        <AskForChanges
          task={task}
          version={task.status === 'awaiting_approval' ? seen : undefined}
          review={review}
          onClose={close}
        />
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
  { merging: began, view, asked }: { merging: boolean; view: ViewName; asked: boolean },
): { says: ReactNode; acts: Act[]; review: Review } {
  const { id: task_id, status, plan } = task;
  const current = useQuery({ ...planQuery(task_id), enabled: plan !== undefined });
  const review = useReview(task);
  const revising = useRevising(task_id);
  const opened = task.pull_request !== undefined;
  const request = useQuery({ ...pullRequestQuery(task_id), enabled: opened });
  const merging = useQuery({
    ...mergeQuery(task_id),
    enabled: began || request.data?.available_actions.includes('get_merge') === true,
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
    if (seen !== version && version !== undefined) {
      acts.push({ label: `Read version ${version}`, look: 'primary', leads: 'plan' });
      const says =
        seen === undefined
          ? 'The plan waits for you: read it to approve it.'
          : 'A newer version of the plan has arrived: read it to approve it.';
      return { says, acts, review };
    }
    if (revising)
      return {
        says: 'You are changing the plan: save your version or cancel, then answer it.',
        acts,
        review,
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
      review,
    };
  }
  if (review.code.length > 0) acts.push({ label: askLabel(review), opens: 'changes' });
  if (status === 'awaiting_answer') {
    if (!asked) acts.push({ label: 'See the question', look: 'primary', leads: 'chat' });
    return { says: 'The agent asks: answer it in the conversation.', acts, review };
  }
  if (status === 'failed') {
    if (view !== 'pod') acts.push({ label: 'See the log', leads: 'pod' });
    return { says: task.status_reason, acts, review };
  }
  if (status === 'queued' && task.status_reason !== undefined)
    return { says: WAITS[task.status_reason] ?? task.status_reason, acts, review };
  if (status !== 'ready') return { says: WORKING[status] ?? '', acts, review };
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
    return { says: <FailedChecks taskId={task_id} />, acts, review };
  return { says: saysOf(task, state, merging.data), acts, review };
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
