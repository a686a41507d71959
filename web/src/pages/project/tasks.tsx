import type { components } from '@guildhall/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectQuery, refreshProject } from '../../data/project.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { BulkAct, useSelection } from '../../ui/selection.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { shownState } from '../task/states.ts';
import { BringCodeOfProject } from './bring-code.tsx';
import { NewTask } from './new-task.tsx';

type Task = components['schemas']['Task'];

/** How many rows are read at first, and how many each time that the end comes near. */
const FIRST = 50;
const MORE = 200;

const idOf = ({ id }: Task): string => id;
const titleOf = ({ title }: Task): string => title;

/** The tasks of a project, newest first, and the field that begins one. */
export function ProjectTasks(): ReactNode {
  const { project: project_id } = useParams({ from: '/signed-in/projects/$project' });
  const { q, archived } = useSearch({ from: '/signed-in/projects/$project/' });
  const navigate = useNavigate();
  const project = useQuery(projectQuery(project_id));
  const tasks = useInfiniteQuery({
    queryKey: ['project', project_id, 'tasks', { q, archived }],
    initialPageParam: { project_id, limit: FIRST, q, archived },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/projects/{project_id}/tasks', pageParam, { signal }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: MORE }) as never,
    // All pages would be read again: a long list shows what has changed when it is opened anew.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : 10_000),
  });
  const rows = useMemo(() => tasks.data?.pages.flatMap(({ items }) => items) ?? [], [tasks.data]);
  const selection = useSelection(rows, idOf, titleOf);
  const may = project.data?.available_actions.includes('create_task') ?? false;
  return (
    <>
      {may && <NewTask projectId={project_id} />}
      <Section
        title="Tasks"
        actions={
          <div className="flex flex-wrap items-center gap-3">
            <label className="flex items-center gap-1.5 text-muted">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={archived ?? false}
                onChange={(event) =>
                  void navigate({
                    to: '.',
                    search: (search) => ({
                      ...search,
                      archived: event.target.checked || undefined,
                    }),
                    replace: true,
                  })
                }
              />
              Archived
            </label>
            <input
              type="search"
              aria-label="Search tasks by title"
              placeholder="Search"
              defaultValue={q ?? ''}
              onChange={(event) =>
                void navigate({
                  to: '.',
                  search: (search) => ({ ...search, q: event.target.value || undefined }),
                  replace: true,
                })
              }
              className="w-44 rounded-box border border-edge bg-surface px-2.5 py-1 placeholder:text-muted"
            />
          </div>
        }
      >
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
                : 'They leave the list of tasks, and nothing of them is deleted. You can take them out of the archive again.'
            }
            run={(task_id) =>
              guildhall.put('/api/tasks/{task_id}', { task_id, body: { archived: !archived } })
            }
            onDone={() => refreshProject(project_id)}
          />
        )}
        {tasks.data !== undefined && rows.length === 0 ? (
          <>
            <NoTasks projectId={project_id} filtered={q !== undefined || archived === true} />
            <BringCodeOfProject
              projectId={project_id}
              may={project.data?.available_actions.includes('update_project') ?? false}
            />
          </>
        ) : (
          <Table
            label="Tasks"
            rows={rows}
            keyOf={idOf}
            columns={COLUMNS}
            selection={may ? selection : undefined}
          />
        )}
        <More list={tasks} />
      </Section>
    </>
  );
}

const COLUMNS: readonly Column<Task>[] = [
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
    heading: 'Cost',
    align: 'right',
    wide: true,
    cell: ({ spend }) => <Money amount={spend.amount} />,
  },
  { heading: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

function NoTasks({ projectId, filtered }: { projectId: string; filtered: boolean }): ReactNode {
  if (filtered) return <Empty>No task fits. Another word may find it.</Empty>;
  const command = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"message":"…"}' ${location.origin}/api/projects/${projectId}/tasks`;
  return (
    <Empty command={<CopyText text={command} label="Copy the command" />}>
      No tasks yet. Write above what is to be built; the agent answers with a plan that you approve.
      This command does the same:
    </Empty>
  );
}
