import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { ASKED_LIVE_MS, projectsQuery } from '../../data/lists.ts';
import { patiently } from '../../data/patiently.ts';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { shownState } from '../task/states.ts';

type Task = components['schemas']['Task'];

/** How many tasks of each kind stand here; the board has all of them. */
const SHOWN = 5;

const KINDS = [
  { title: 'At work', status: ['queued', 'planning', 'building'], sort: 'updated' },
  { title: 'Merged lately', status: ['ready'], sort: 'merged' },
] as const;

/** As `useLive` of `task-changes.ts`, which is loaded once this page is there. */
function useLiveLater(): boolean {
  const [live, setLive] = useState(false);
  useEffect(() => {
    let leave: (() => void) | undefined;
    let left = false;
    // Until then, the lists ask.
    void patiently(() => import('../project/tasks.tsx')).then(({ followTaskChanges }) => {
      if (!left) leave = followTaskChanges(setLive);
    });
    return () => {
      left = true;
      leave?.();
    };
  }, []);
  return live;
}

/** What runs and what is done, in all projects of the person; nothing where there is none. */
export function AtWork(): ReactNode {
  const live = useLiveLater();
  return KINDS.map((kind) => <Tasks key={kind.title} {...kind} live={live} />);
}

function Tasks({
  title,
  status,
  sort,
  live,
}: (typeof KINDS)[number] & { live: boolean }): ReactNode {
  const projects = useQuery(projectsQuery).data;
  const tasks = useQuery({
    queryKey: ['tasks', 'home', title],
    queryFn: ({ signal }) =>
      guildhall.page('/api/tasks', { status: [...status], limit: SHOWN, sort }, { signal }),
    refetchInterval: live ? ASKED_LIVE_MS : 30_000,
  });
  const rows = tasks.data?.items ?? [];
  // The lists above and below say what is wrong, if the server cannot be read.
  if (rows.length === 0) return null;
  const columns: Column<Task>[] = [
    {
      heading: 'Task',
      cell: (task) => (
        <div className="flex min-w-0 flex-col items-start gap-0.5">
          <Link
            to="/projects/$project/tasks/$task"
            params={{ project: task.project_id, task: task.id }}
            dir="auto"
            title={task.title}
            className="line-clamp-2 font-medium hover:underline"
          >
            {task.title}
          </Link>
          <span dir="auto" className="text-xs text-muted">
            {projects?.find(({ id }) => id === task.project_id)?.name}
          </span>
        </div>
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
      heading: sort === 'merged' ? 'Merged' : 'Changed',
      wide: true,
      cell: ({ updated_at, pull_request }) => <Time at={pull_request?.merged_at ?? updated_at} />,
    },
  ];
  return (
    <Section
      title={title}
      actions={
        <Link to="/tasks" className="text-link hover:underline">
          Show all tasks
        </Link>
      }
    >
      <Table label={title} rows={rows} keyOf={({ id }) => id} columns={columns} />
    </Section>
  );
}
