import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { refreshTask } from '../../data/task.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Status } from '../../ui/status.tsx';
import { Estimate } from './estimate.tsx';
import { AskForChanges, ConfirmMerge, RejectPlan } from './on-demand.tsx';
import type { ViewName } from './panel-names.ts';
import { usePaused } from './paused.ts';
import { shownState, type Task } from './states.ts';
import { type Act, useActs } from './use-acts.tsx';
import { WaysOn } from './ways-on.tsx';

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
  const bar = useRef<HTMLElement>(null);
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const close = () => setDialog(undefined);
  const { says, acts, review, plan, pull, target } = useActs(task, { seen, view, asked }, merging);
  const { says: paused, ways } = usePaused(task);
  const estimated =
    task.status === 'awaiting_approval' &&
    plan?.version === seen &&
    plan?.available_actions.includes('get_plan_estimate')
      ? plan
      : undefined;
  const waiting = task.status === 'awaiting_approval' ? seen : undefined;
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
    // The button that was pressed is gone, or cannot be pressed: the next one is reached by Tab.
    if (document.activeElement === document.body) bar.current?.focus({ preventScroll: true });
  };
  // A narrow screen has room for one button: the first that goes on, else the first.
  const main =
    acts.find(({ look }) => look === 'primary') ?? (ways.length === 0 ? acts[0] : undefined);
  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-label="What the task waits for"
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2"
    >
      {error !== undefined && <Failure error={error} />}
      <div className={`flex items-center gap-2 sm:flex-wrap sm:gap-3 ${open ? 'flex-wrap' : ''}`}>
        <span role="status">
          <Status state={state}>{word}</Status>
        </span>
        <p
          className={`min-w-0 flex-1 text-muted sm:basis-72 sm:whitespace-normal ${open ? 'order-last w-full flex-none' : 'truncate'}`}
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
              disabled={busy !== '' && busy !== act.label}
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
        <AskForChanges task={task} version={waiting} review={review} onClose={close} />
      )}
      {dialog === 'merge' && pull && (
        <ConfirmMerge request={pull} target={target} onClose={close} />
      )}
      {dialog === 'reject' && <RejectPlan taskId={task.id} version={waiting} onClose={close} />}
    </section>
  );
}
