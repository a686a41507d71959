import type { components } from '@guildhall/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { guildhall } from '../../data/api.ts';
import { readAgain } from '../../data/lists.ts';
import { useNames } from '../../data/names.ts';
import { peopleQuery, projectQuery, refreshProject } from '../../data/project.ts';
import { useUser } from '../../data/session.ts';
import { useLive } from '../../data/task-changes.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { BulkAct, useSelection } from '../../ui/selection.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { shownState } from '../task/states.ts';
import type { TaskListSearch } from '../tasks/board-search.ts';
import { statusOf, TaskFilters } from '../tasks/task-filters.tsx';
import { BringCodeOfProject } from './bring-code.tsx';
import { NewTask } from './new-task.tsx';

/** Loaded with this page: each file more is a name more in the shell. */
export { followTaskChanges } from '../../data/task-changes.ts';
export { NewTask } from './new-task.tsx';
export { NewTaskPage } from './new-task-page.tsx';

type Task = components['schemas']['Task'];

/** How many rows are read at first, and how many each time that the end comes near. */
const FIRST = 50;
const MORE = 200;

const idOf = ({ id }: Task): string => id;
const titleOf = ({ title }: Task): string => title;

/** The tasks of a project, newest first, and the field that begins one. */
export function ProjectTasks(): ReactNode {
  const { project: project_id } = useParams({ from: '/signed-in/projects/$project' });
  const search = useSearch({ from: '/signed-in/projects/$project/' });
  const { by, model, q, archived } = search;
  const sort = search.sort === 'updated' ? ('updated' as const) : undefined;
  const user = useUser();
  const live = useLive();
  const people = useQuery({ ...peopleQuery(project_id), staleTime: 60_000 });
  const nameOf = useNames(project_id);
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const navigate = useNavigate();
  const project = useQuery(projectQuery(project_id));
  const filter = {
    status: statusOf(search.status),
    created_by: by === 'me' ? user.id : by,
    model,
    q,
    archived,
    sort,
  };
  const tasks = useInfiniteQuery({
    queryKey: ['project', project_id, 'tasks', filter],
    initialPageParam: { project_id, limit: FIRST, ...filter },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/projects/{project_id}/tasks', pageParam, { signal }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: MORE }) as never,
    // The former list stays while the next one is read, so that nothing jumps.
    placeholderData: (former) => former,
    refetchInterval: readAgain(live),
  });
  const rows = useMemo(() => tasks.data?.pages.flatMap(({ items }) => items) ?? [], [tasks.data]);
  const selection = useSelection(rows, idOf, titleOf);
  const may = project.data?.available_actions.includes('create_task') ?? false;
  const filtered = Object.values(search).some((value) => value !== undefined);
  const set = (change: Partial<TaskListSearch>) =>
    void navigate({ to: '.', search: (former) => ({ ...former, ...change }), replace: true });
  return (
    <>
      {may && <NewTask projectId={project_id} />}
      {tasks.data !== undefined && rows.length === 0 && !filtered && (
        <BringCodeOfProject
          projectId={project_id}
          may={project.data?.available_actions.includes('update_project') ?? false}
        />
      )}
      <Section
        title="Tasks"
        actions={
          <div className="flex flex-wrap items-center gap-3">
            <label className="flex items-center gap-1.5 text-muted">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={archived ?? false}
                onChange={(event) => set({ archived: event.target.checked || undefined })}
              />
              Archived
            </label>
            <Select
              label="Order"
              value={sort}
              none="Newest first"
              options={[{ value: 'updated', label: 'Last changed first' }]}
              onChange={(value) => set({ sort: value })}
            />
          </div>
        }
      >
        <TaskFilters filter={search} onChange={set}>
          <Select
            label="Only tasks created by"
            value={by}
            none="Everyone"
            options={[
              { value: 'me', label: 'Me' },
              ...(people.data ?? [])
                .filter(({ user_id }) => user_id !== user.id)
                .map(({ user_id, name, email }) => ({ value: user_id, label: name ?? email })),
            ]}
            onChange={(value) => set({ by: value })}
          />
        </TaskFilters>
        {tasks.error && !tasks.isFetchNextPageError && (
          <Failure error={tasks.error} retry={() => void tasks.refetch()} />
        )}
        {may && (
          <BulkAct
            selection={selection}
            label={(some) => (archived ? `Take ${some} out of the archive` : `Archive ${some}`)}
            things={['task', 'tasks']}
            warning={
              archived
                ? 'They stand in the list of tasks again.'
                : 'They leave the list of tasks, and throwaway Odoos of theirs end with their data. Nothing else is deleted, and you can take them out of the archive again.'
            }
            run={(task_id) =>
              guildhall.put('/api/tasks/{task_id}', { task_id, body: { archived: !archived } })
            }
            onDone={() => refreshProject(project_id)}
          />
        )}
        {tasks.data !== undefined && rows.length === 0 ? (
          <NoTasks projectId={project_id} filtered={filtered} />
        ) : (
          <Table
            label="Tasks"
            rows={rows}
            keyOf={idOf}
            columns={columns}
            selection={may ? selection : undefined}
          />
        )}
        <More list={tasks} />
      </Section>
    </>
  );
}

const columnsOf = (nameOf: (id: string) => string | undefined): readonly Column<Task>[] => [
  {
    heading: 'Task',
    cell: ({ id, project_id, title }) => (
      <Link
        to="/projects/$project/tasks/$task"
        params={{ project: project_id, task: id }}
        dir="auto"
        title={title}
        className="line-clamp-2 font-medium hover:underline"
      >
        {title}
      </Link>
    ),
  },
  {
    heading: 'Status',
    cell: (task) => {
      const { state, word } = shownState(task);
      return <Status state={state}>{word}</Status>;
    },
  },
  {
    heading: 'Created by',
    wide: true,
    cell: ({ created_by_user_id: id }) => (
      <Link
        to="."
        search={(search) => ({ ...search, by: id })}
        dir="auto"
        className="block max-w-40 truncate hover:underline"
      >
        {nameOf(id) ?? 'Someone who has left'}
      </Link>
    ),
  },
  {
    heading: 'Cost',
    align: 'right',
    wide: true,
    cell: ({ spend }) => <Money amount={spend.amount} />,
  },
  { heading: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

function NoTasks({ projectId, filtered }: { projectId: string; filtered: boolean }): ReactNode {
  if (filtered) return <Empty>No task fits. Leave out a filter, or try another word.</Empty>;
  const command = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"message":"…"}' ${location.origin}/api/projects/${projectId}/tasks`;
  return (
    <Empty command={<CopyText text={command} label="Copy the command" />}>
      No tasks yet. Write above what is to be built; the agent answers with a plan that you approve.
      This command does the same:
    </Empty>
  );
}
