import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { podLogQuery, podQuery, refreshTask } from '../../data/task.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { LongText } from '../../ui/long-text.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Task } from './states.ts';

type Pod = components['schemas']['Pod'];

const STATES: Record<Pod['state'], { shown: State; word: string }> = {
  absent: { shown: 'idle', word: 'No pod' },
  creating: { shown: 'working', word: 'Being created' },
  running: { shown: 'working', word: 'Running' },
  paused: { shown: 'idle', word: 'Paused' },
  destroying: { shown: 'idle', word: 'Being removed' },
  failed: { shown: 'wrong', word: 'Failed' },
  unknown: { shown: 'wrong', word: 'Does not answer' },
};

/** Where the agent works, and what it has written beside its messages. */
export function PodPanel({ task }: { task: Task }): ReactNode {
  const pod = useQuery({
    ...podQuery(task.id),
    // A request is not an event of the task: a worker carries it out by and by.
    refetchInterval: ({ state }) => (state.data?.wanted === undefined ? 10_000 : 1_000),
  });
  const [failure, setFailure] = useState<unknown>();
  if (insteadOf(pod)) return <Failure error={pod.error} retry={() => void pod.refetch()} />;
  if (pod.data === undefined) return null;
  const { state, wanted, reason, isolation, started_at, expires_at } = pod.data;
  const can = (action: 'start_pod' | 'stop_pod') => task.available_actions.includes(action);
  const ask = async (what: 'start' | 'stop') => {
    await guildhall.post(`/api/tasks/{task_id}/pod/${what}`, { task_id: task.id });
    await refreshTask(task.id);
  };
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Status state={STATES[state].shown}>{STATES[state].word}</Status>
        {wanted !== undefined && <span className="text-muted">It will be {wanted} soon.</span>}
        {started_at !== undefined && state === 'running' && (
          <span className="text-muted">
            Started <Time at={started_at} />
          </span>
        )}
        {expires_at !== undefined && state !== 'absent' && (
          <span className="text-muted">
            Removed <Time at={expires_at} /> unless it is used. Work is kept.
          </span>
        )}
        <span className="flex-1" />
        {can('start_pod') && state !== 'running' && wanted === undefined && (
          <ActButton onFailure={setFailure} act={() => ask('start')}>
            Start the pod
          </ActButton>
        )}
        {can('stop_pod') && state === 'running' && wanted === undefined && (
          <ActButton onFailure={setFailure} act={() => ask('stop')}>
            Stop the pod
          </ActButton>
        )}
      </div>
      {failure !== undefined && <Failure error={failure} />}
      {reason !== undefined && <p className="text-wrong">{reason}</p>}
      {task.pod?.confined === false && (
        <p className="max-w-prose text-wrong">
          What runs here is not kept apart from the server: it can read what the server may read.
        </p>
      )}
      {isolation !== undefined && <p className="max-w-prose text-muted">{isolation}</p>}
      <Log taskId={task.id} live={state === 'running'} />
    </div>
  );
}

function Log({ taskId, live }: { taskId: string; live: boolean }): ReactNode {
  const log = useQuery({ ...podLogQuery(taskId), refetchInterval: live ? 5_000 : false });
  return (
    <Section
      title="Log"
      actions={
        <Button busy={log.isFetching} onClick={() => void log.refetch()}>
          Read again
        </Button>
      }
    >
      {log.error && <Failure error={log.error} />}
      {log.data === '' && (
        <Empty>The log is empty: the agent has written nothing beside its messages.</Empty>
      )}
      {log.data !== undefined && log.data !== '' && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          tabIndex={0}
          aria-label="Log of the pod"
          className="max-h-96 overflow-auto rounded-box border border-line bg-raised p-3 font-mono text-xs"
        >
          <LongText text={log.data} />
        </section>
      )}
    </Section>
  );
}
