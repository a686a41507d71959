import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNames } from '../../data/names.ts';
import { checksQuery, mergeQuery, pullRequestQuery } from '../../data/task.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { FailedChecks, hasFailed, logOf } from './failed-checks.tsx';
import { withStage } from './merge.ts';
import { MergeBox } from './merge-box.tsx';
import type { Merge, Task } from './states.ts';

/** The pull request with its checks, and the merge. */
export function PullRequestPanel({ task }: { task: Task }): ReactNode {
  const opened = task.pull_request !== undefined;
  const request = useQuery({
    ...pullRequestQuery(task.id),
    enabled: opened,
    // A code host tells of its checks by and by.
    refetchInterval: task.pull_request?.state === 'open' ? 5_000 : false,
  });
  const asked = request.data?.available_actions.includes('get_merge') ?? false;
  const merge = useQuery({ ...mergeQuery(task.id), enabled: asked });
  if (!opened)
    return (
      <Empty>
        There is no pull request yet. When the work is ready, open one: its checks run, and it can
        be merged.
      </Empty>
    );
  if (insteadOf(request))
    return <Failure error={request.error} retry={() => void request.refetch()} />;
  if (request.data === undefined) return null;
  const { number, state, base, head, head_sha, mergeable, conflicts = [], url } = request.data;
  const reason = request.data.not_mergeable_reason;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <Status state={state === 'merged' ? 'done' : state === 'open' ? 'working' : 'idle'}>
          {state === 'merged' ? 'Merged' : state === 'open' ? 'Open' : 'Closed'}
        </Status>
        <span>
          #{number}: <code className="font-mono text-xs">{head}</code> into{' '}
          <code className="font-mono text-xs">{base}</code>, at{' '}
          <code className="font-mono text-xs">{head_sha?.slice(0, 10)}</code>
        </span>
        {url.startsWith('https://github.com/') && (
          <a href={url} target="_blank" rel="noopener noreferrer" className="text-link underline">
            Open on GitHub
          </a>
        )}
      </div>
      {mergeable === false && (
        <div role="status" className="rounded-box bg-wrong-tint p-3 text-wrong">
          <p>
            {reason ??
              `It conflicts with ${base}: ask the agent to bring its changes into its branch.`}
          </p>
          <ul className="list-disc pl-5 font-mono text-xs">
            {conflicts.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </div>
      )}
      <Checks taskId={task.id} live={state === 'open'} />
      {asked && <MergeOf task={task} />}
      {state === 'open' && merge.data?.state !== 'queued' && <MergeBox request={request.data} />}
    </div>
  );
}

const CONCLUSIONS: Record<string, { state: State; word: string }> = {
  success: { state: 'done', word: 'Passed' },
  failure: { state: 'wrong', word: 'Failed' },
  timed_out: { state: 'wrong', word: 'Took too long' },
  cancelled: { state: 'wrong', word: 'Cancelled' },
  neutral: { state: 'idle', word: 'Neutral' },
  skipped: { state: 'idle', word: 'Skipped' },
};

function Checks({ taskId, live }: { taskId: string; live: boolean }): ReactNode {
  const checks = useQuery({ ...checksQuery(taskId), refetchInterval: live ? 5_000 : false });
  if (insteadOf(checks))
    return <Failure error={checks.error} retry={() => void checks.refetch()} />;
  const rows = checks.data;
  if (rows === undefined) return null;
  return (
    <Section title="Checks">
      <FailedChecks taskId={taskId} />
      {rows.length === 0 ? (
        <Empty>
          No checks. A file .guildhall.yml in the repository says which commands have to pass.
        </Empty>
      ) : (
        <Table
          label="Checks"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Check',
              cell: (check) => (
                <span className={hasFailed(check) ? 'font-medium text-wrong' : ''}>
                  {check.name}
                </span>
              ),
            },
            {
              heading: 'State',
              cell: ({ state, conclusion = '', reason }) => {
                const shown = CONCLUSIONS[conclusion];
                return (
                  <>
                    <Status state={state === 'completed' ? (shown?.state ?? 'wrong') : 'working'}>
                      {state === 'completed'
                        ? (shown?.word ?? conclusion.replaceAll('_', ' '))
                        : state.replaceAll('_', ' ')}
                    </Status>
                    {reason !== undefined && <p className="text-muted">{reason}</p>}
                  </>
                );
              },
            },
            {
              heading: 'Since',
              cell: ({ started_at, completed_at }) => {
                const at = completed_at ?? started_at;
                return at === undefined ? '' : <Time at={at} />;
              },
              wide: true,
            },
            {
              heading: 'Log',
              cell: (check) => (
                <a
                  href={logOf(taskId, check)}
                  target="_blank"
                  rel="noopener noreferrer"
                  aria-label={`Log of ${check.name}`}
                  className="text-link underline"
                >
                  Log
                </a>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

const MERGES: Record<Merge['state'], { state: State; word: string }> = {
  queued: { state: 'working', word: 'Waits for a worker' },
  merged: { state: 'done', word: 'Merged' },
  failed: { state: 'wrong', word: 'Failed' },
};

function MergeOf({ task }: { task: Task }): ReactNode {
  const merge = useQuery(mergeQuery(task.id));
  const nameOf = useNames(task.project_id);
  if (merge.data === undefined) return null;
  const { branch, stage, method, forced, merge_commit_sha, failure } = merge.data;
  const { state, word } = MERGES[merge.data.state];
  const by = nameOf(merge.data.requested_by_user_id);
  return (
    <Section title="Last merge">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Status state={state}>{word}</Status>
        <span>
          into {withStage(branch, stage)}
          {method === 'squash' && ', as one commit'}
          {by !== undefined && (
            <>
              , by <span dir="auto">{by}</span>
            </>
          )}
          {forced && ', although its checks had not passed'}
        </span>
        {merge_commit_sha && <CopyText text={merge_commit_sha} short={10} />}
        <Time at={merge.data.ended_at ?? merge.data.created_at} />
      </p>
      {failure && <p className="text-wrong">{failure.message}</p>}
    </Section>
  );
}
