import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { checksQuery, mergeQuery, pullRequestQuery } from '../../data/task.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Task } from './states.ts';

/** The pull request with its checks, and the merge. */
export function PullRequestPanel({
  task,
  merging,
}: {
  task: Task;
  /** Whether a merge was ever asked for. */
  merging: boolean;
}): ReactNode {
  const opened = task.pull_request !== undefined;
  const request = useQuery({
    ...pullRequestQuery(task.id),
    enabled: opened,
    // A code host tells of its checks by and by.
    refetchInterval: task.pull_request?.state === 'open' ? 5_000 : false,
  });
  if (!opened)
    return (
      <Empty>
        There is no pull request yet. When the work is ready, open one: its checks run, and it can
        be merged.
      </Empty>
    );
  if (request.error) return <Failure error={request.error} retry={() => void request.refetch()} />;
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
      {merging && <MergeOf taskId={task.id} />}
    </div>
  );
}

const CONCLUSIONS: Record<string, State> = {
  success: 'done',
  neutral: 'idle',
  skipped: 'idle',
  cancelled: 'idle',
};

function Checks({ taskId, live }: { taskId: string; live: boolean }): ReactNode {
  const checks = useQuery({ ...checksQuery(taskId), refetchInterval: live ? 5_000 : false });
  if (checks.error) return <Failure error={checks.error} retry={() => void checks.refetch()} />;
  const rows = checks.data ?? [];
  return (
    <Section title="Checks">
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
            { heading: 'Check', cell: ({ name }) => name },
            {
              heading: 'State',
              cell: ({ state, conclusion, reason }) => (
                <>
                  <Status
                    state={
                      state === 'completed' ? (CONCLUSIONS[conclusion ?? ''] ?? 'wrong') : 'working'
                    }
                  >
                    {conclusion?.replaceAll('_', ' ') ?? state.replaceAll('_', ' ')}
                  </Status>
                  {reason !== undefined && <p className="text-muted">{reason}</p>}
                </>
              ),
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
              cell: ({ id, name, details_url }) => (
                <a
                  href={details_url ?? `/api/tasks/${taskId}/pull-request/checks/${id}/log`}
                  target="_blank"
                  rel="noopener noreferrer"
                  aria-label={`Log of ${name}`}
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

function MergeOf({ taskId }: { taskId: string }): ReactNode {
  const merge = useQuery(mergeQuery(taskId));
  if (merge.data === undefined) return null;
  const { state, branch, merge_commit_sha, failure, ended_at } = merge.data;
  return (
    <Section title="Merge">
      <p className="flex flex-wrap items-center gap-2">
        <Status state={state === 'merged' ? 'done' : state === 'failed' ? 'wrong' : 'working'}>
          {state}
        </Status>
        into {branch}
        {merge_commit_sha && (
          <>
            {' '}
            as <code className="font-mono text-xs">{merge_commit_sha.slice(0, 10)}</code>
          </>
        )}
        {ended_at && <Time at={ended_at} />}
      </p>
      {failure && <p className="text-wrong">{failure.message}</p>}
    </Section>
  );
}
