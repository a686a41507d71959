import type { components } from '@guildhall/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectsQuery, readAgain } from '../../data/lists.ts';
import { useUser } from '../../data/session.ts';
import { useLive } from '../../data/task-changes.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { Empty } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useTitle } from '../../ui/title.ts';
import { shownState } from '../task/states.ts';
import type { BoardSearch } from './board-search.ts';
import { statusOf, TaskFilters } from './task-filters.tsx';
import { Views } from './views.tsx';

type Task = components['schemas']['Task'];

interface Column {
  title: string;
  statuses: readonly Task['status'][];
  /** Of those that are ready, only those whose pull request was merged, or only the others. */
  merged?: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: 'Waits for a person', statuses: ['awaiting_approval', 'awaiting_answer', 'paused'] },
  { title: 'The agent works', statuses: ['queued', 'planning', 'building'] },
  { title: 'Ready', statuses: ['ready'], merged: false },
  { title: 'Merged', statuses: ['ready'], merged: true },
  { title: 'Ended', statuses: ['failed', 'cancelled'] },
];

/** How many tasks a column reads at a time. */
const PAGE = 20;

/** The tasks of all projects of the person, by their state. The filters stand in the address. */
export function Board(): ReactNode {
  useTitle('Tasks');
  const search = useSearch({ from: '/signed-in/tasks' });
  const projects = useQuery(projectsQuery);
  const live = useLive();
  const navigate = useNavigate();
  const set = (change: Partial<BoardSearch>) =>
    void navigate({ to: '/tasks', search: (former) => ({ ...former, ...change }), replace: true });
  const status = statusOf(search.status);
  const columns = COLUMNS.filter(
    ({ statuses }) => status === undefined || statuses.includes(status),
  );
  return (
    <div className="flex flex-col gap-4 p-4 sm:p-6">
      <h1 className="text-lg font-semibold">Tasks</h1>
      <TaskFilters filter={search} onChange={set}>
        <Select
          label="Only this project"
          value={search.project}
          none="Every project"
          options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(project) => set({ project })}
        />
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={search.mine ?? false}
            onChange={(event) => set({ mine: event.target.checked || undefined })}
          />
          Created by me
        </label>
      </TaskFilters>
      <Views search={search} />
      {projects.data?.length === 0 ? (
        <Empty>
          You have no projects yet. Create one on the first page; its tasks stand here then.
        </Empty>
      ) : (
        <div className="grid gap-3 lg:auto-cols-[minmax(11.5rem,1fr)] lg:grid-flow-col lg:overflow-x-auto">
          {columns.map((column) => (
            <Lane key={column.title} column={column} search={search} live={live} />
          ))}
        </div>
      )}
    </div>
  );
}

interface LaneProps {
  column: Column;
  search: BoardSearch;
  live: boolean;
}

function Lane({ column, search, live }: LaneProps): ReactNode {
  const { title, statuses, merged } = column;
  const { mine, project, model, q } = search;
  const status = statusOf(search.status);
  const user = useUser();
  const asked = {
    sort: 'updated' as const,
    limit: PAGE,
    status: status === undefined ? [...statuses] : [status],
    merged,
    created_by: mine && user.id,
    project_id: project,
    model,
    q,
  };
  const tasks = useInfiniteQuery({
    queryKey: ['tasks', asked],
    initialPageParam: asked,
    queryFn: ({ pageParam, signal }) => guildhall.page('/api/tasks', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
    // The former tasks stay while those of another filter are read, so that nothing jumps.
    placeholderData: (former) => former,
    refetchInterval: readAgain(live),
  });
  const rows = tasks.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h2 className="flex items-baseline gap-2 font-semibold">
        {title}
        {tasks.data && (
          <span className="text-xs font-normal text-muted">
            {rows.length}
            {tasks.hasNextPage && '+'}
          </span>
        )}
      </h2>
      {tasks.error && <Failure error={tasks.error} retry={() => void tasks.refetch()} />}
      {tasks.data && rows.length === 0 && <p className="text-muted">None</p>}
      <ul className="flex flex-col gap-2">
        {rows.map((task) => (
          <Card key={task.id} task={task} />
        ))}
      </ul>
      {tasks.hasNextPage && (
        <div>
          <Button busy={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
            Show more<span className="sr-only"> of {title}</span>
          </Button>
        </div>
      )}
    </section>
  );
}

function Card({ task }: { task: Task }): ReactNode {
  const projects = useQuery(projectsQuery);
  const { id, project_id, title, spend, updated_at } = task;
  const { state, word } = shownState(task);
  return (
    <li className="flex flex-col gap-1 rounded-box border border-line bg-surface p-2.5 focus-within:bg-tint hover:bg-raised">
      <Link
        to="/projects/$project/tasks/$task"
        params={{ project: project_id, task: id }}
        dir="auto"
        title={title}
        className="line-clamp-2 font-medium wrap-anywhere hover:underline"
      >
        {title}
      </Link>
      <span dir="auto" className="truncate text-xs text-muted">
        {projects.data?.find((project) => project.id === project_id)?.name}
      </span>
      <span className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <Status state={state}>{word}</Status>
        <Money amount={spend.amount} />
        <Time at={updated_at} />
      </span>
    </li>
  );
}
