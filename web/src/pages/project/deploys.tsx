import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { useNames } from '../../data/names.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Deploy = components['schemas']['Deploy'];

const STATES: Record<Deploy['state'], { state: State; word: string }> = {
  queued: { state: 'working', word: 'Queued' },
  running: { state: 'working', word: 'Running' },
  success: { state: 'done', word: 'Deployed' },
  warning: { state: 'waiting', word: 'Deployed, with a warning' },
  failed: { state: 'wrong', word: 'Failed' },
  superseded: { state: 'idle', word: 'Superseded' },
};

/** The branch has what was merged; there was no command to deploy it with. */
const NOTHING_RUN: { state: State; word: string } = { state: 'idle', word: 'Nothing to run' };

const runs = ({ state }: Deploy) => STATES[state].state === 'working';

/** The deploys of a project, newest first, of all branches or of one; live while one runs. */
export function ProjectDeploys(): ReactNode {
  const { project: project_id } = useParams({ from: '/signed-in/projects/$project' });
  const { branch } = useSearch({ from: '/signed-in/projects/$project/deploys' });
  const navigate = useNavigate();
  const deploys = useInfiniteQuery({
    queryKey: ['project', project_id, 'deploys', { branch }],
    initialPageParam: { project_id, limit: 50, branch },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/projects/{project_id}/deploys', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(runs)) ? 2_000 : 15_000,
  });
  const rows = deploys.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title={branch === undefined ? 'Deploys' : `Deploys of ${branch}`}
      actions={
        branch !== undefined && (
          <Button onClick={() => void navigate({ to: '.', search: {} })}>All branches</Button>
        )
      }
    >
      {deploys.error && <Failure error={deploys.error} retry={() => void deploys.refetch()} />}
      {deploys.data !== undefined && rows.length === 0 ? (
        <Empty>
          No deploys yet. Merge a task into a merge target of the project: the command that{' '}
          <code>.guildhall.yml</code> has for its stage is run then. On GitHub, workflows deploy.
        </Empty>
      ) : (
        <DeployTable rows={rows} projectId={project_id} />
      )}
      {deploys.hasNextPage && (
        <div>
          <Button busy={deploys.isFetchingNextPage} onClick={() => void deploys.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}

function DeployTable({
  rows,
  projectId,
}: {
  rows: readonly Deploy[];
  projectId: string;
}): ReactNode {
  const nameOf = useNames(projectId);
  return (
    <Table
      label="Deploys"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'Branch',
          cell: ({ branch, stage, project_id }) => (
            <>
              <Link
                to="/projects/$project/deploys"
                params={{ project: project_id }}
                search={{ branch }}
                className="font-medium break-all hover:underline"
              >
                {branch}
              </Link>
              <span className="block text-xs text-muted">{stage}</span>
            </>
          ),
        },
        {
          heading: 'State',
          grow: true,
          cell: (deploy) => {
            const { state, word } =
              deploy.command_run === false && deploy.state === 'success'
                ? NOTHING_RUN
                : STATES[deploy.state];
            return (
              <>
                <Status state={state}>{word}</Status>
                {deploy.reason && (
                  <span className="block max-w-prose text-xs text-muted">{deploy.reason}</span>
                )}
              </>
            );
          },
        },
        {
          heading: 'Commit',
          wide: true,
          cell: ({ commit_sha }) => <CopyText text={commit_sha} short={10} label="Copy" />,
        },
        {
          heading: 'Merged by',
          wide: true,
          cell: ({ merged_by_user_id }) => (
            <span dir="auto" className="block max-w-40 truncate">
              {nameOf(merged_by_user_id)}
            </span>
          ),
        },
        {
          heading: 'Since',
          wide: true,
          cell: ({ ended_at, started_at, created_at }) => (
            <Time at={ended_at ?? started_at ?? created_at} />
          ),
        },
        { heading: 'Links', align: 'right', cell: (deploy) => <Links deploy={deploy} /> },
      ]}
    />
  );
}

const LINK = 'inline-flex min-h-6 items-center text-link underline';

function Links({
  deploy: { id, branch, task_id, project_id, url },
}: {
  deploy: Deploy;
}): ReactNode {
  const other = { target: '_blank', rel: 'noopener noreferrer', className: LINK };
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-3 gap-y-1">
      {task_id && (
        <Link
          to="/projects/$project/tasks/$task"
          params={{ project: project_id, task: task_id }}
          className={LINK}
        >
          Task
        </Link>
      )}
      {url && (
        <a href={url} {...other}>
          GitHub
        </a>
      )}
      <a href={`/api/deploys/${id}/log`} aria-label={`Log of the deploy of ${branch}`} {...other}>
        Log
      </a>
    </span>
  );
}
