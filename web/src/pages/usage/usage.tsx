import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectQuery } from '../../data/project.ts';
import { useUser } from '../../data/session.ts';
import { type UsageGroup, type UsageOf, type UsagePeriod, usageQuery } from '../../data/usage.ts';
import { workspaceQuery } from '../../data/workspace.ts';
import { DayRange } from '../../ui/day-range.tsx';
import { ExportLinks } from '../../ui/export-links.tsx';
import { Failure } from '../../ui/failure.tsx';
import { HelpLink } from '../../ui/help-link.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Month, type Payer } from './month.tsx';
import { UsageChart } from './usage-chart.tsx';

type Dimension = 'day' | 'project' | 'task' | 'member' | 'model' | 'workspace';

const NAMES: Record<Dimension, string> = {
  day: 'Day',
  project: 'Project',
  task: 'Task',
  member: 'Person',
  model: 'Model',
  workspace: 'Workspace',
};

const isDimension = (text: string | undefined): text is Dimension =>
  text !== undefined && text in NAMES;

/** What tasks have used, of the person, or of the workspace or the project in the address. */
export function Usage(): ReactNode {
  const { org, project } = useParams({ strict: false });
  const whose = { org, project };
  const payer = usePayer(whose);
  const { by, and, from, to } = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ to: '.', search: (search: object) => ({ ...search, ...change }) });
  const standard = project === undefined ? 'project' : 'task';
  const first = isDimension(by) ? by : standard;
  const second = isDimension(and) && and !== first ? and : undefined;
  const options = (Object.keys(NAMES) as Dimension[])
    .filter((name) => name !== 'workspace' || org === undefined)
    .filter((name) => project === undefined || (name !== 'project' && name !== 'workspace'))
    .map((value) => ({ value, label: NAMES[value] }));
  const period = { from, to };
  return (
    <Section title="Usage" actions={<ExportLinks {...whose} list="usage" filter={period} />}>
      <Month whose={whose} payer={payer} />
      <p>
        <HelpLink topic="caps-and-limits">How caps and limits work</HelpLink>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="Group by"
          value={by}
          none={NAMES[standard]}
          options={options.filter(({ value }) => value !== standard)}
          onChange={(value) => set({ by: value })}
        />
        <Select
          label="And by"
          value={second}
          none="nothing else"
          options={options.filter(({ value }) => value !== first)}
          onChange={(value) => set({ and: value })}
        />
        <DayRange from={from} to={to} onChange={set} />
      </div>
      <UsageChart whose={whose} period={period} />
      <Groups
        whose={whose}
        dimensions={second === undefined ? [first] : [first, second]}
        period={period}
      />
    </Section>
  );
}

/** Who pays: of a project its workspace, or the person whose own it is. */
function usePayer({ org, project }: UsageOf): Payer | undefined {
  const user = useUser();
  const { data } = useQuery({ ...projectQuery(project ?? ''), enabled: project !== undefined });
  const workspaceId = project === undefined ? org : data?.organization_id;
  const workspace = useQuery({
    ...workspaceQuery(workspaceId ?? ''),
    enabled: workspaceId !== undefined,
  }).data;
  if (workspaceId !== undefined)
    return workspace?.available_actions.includes('get_workspace_spend_limits')
      ? { org: workspaceId }
      : undefined;
  return project === undefined || data?.owner_user_id === user.id ? { org: undefined } : undefined;
}

function Groups({
  whose,
  dimensions,
  period,
}: {
  whose: UsageOf;
  dimensions: Dimension[];
  period: UsagePeriod;
}): ReactNode {
  const pages = useInfiniteQuery(usageQuery(whose, dimensions.join(), period));
  const [start] = pages.data?.pages ?? [];
  const rows = pages.data?.pages.flatMap(({ groups }) => groups) ?? [];
  if (pages.error && !pages.isFetchNextPageError)
    return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (start === undefined) return null;
  if (rows.length === 0)
    return <Empty>No task has used anything in these days. What tasks cost stands here.</Empty>;
  return (
    <>
      <p>
        <strong>
          <Money amount={start.total.amount} />
        </strong>{' '}
        <span className="text-muted">
          from {start.from} to {start.to} (UTC), {count(start.total.input_tokens)} tokens read,{' '}
          {count(start.total.output_tokens)} written
        </span>
      </p>
      <Table
        label="Usage"
        rows={rows}
        keyOf={(row) => dimensions.map((dimension) => idOf(dimension, row)).join()}
        columns={[
          ...dimensions.map(
            (dimension): Column<UsageGroup> => ({
              heading: NAMES[dimension],
              cell: (row) => <Name dimension={dimension} row={row} />,
            }),
          ),
          {
            heading: 'Read',
            align: 'right',
            wide: true,
            cell: ({ input_tokens }) => count(input_tokens),
          },
          {
            heading: 'Written',
            align: 'right',
            wide: true,
            cell: ({ output_tokens }) => count(output_tokens),
          },
          {
            heading: 'Pods',
            align: 'right',
            wide: true,
            cell: ({ pod_seconds }) => duration(pod_seconds),
          },
          { heading: 'Amount', align: 'right', cell: ({ amount }) => <Money amount={amount} /> },
        ]}
      />
      <More list={pages} />
    </>
  );
}

const idOf = (dimension: Dimension, row: UsageGroup): string | undefined =>
  ({
    day: row.day,
    project: row.project_id,
    task: row.task_id,
    member: row.user_id,
    model: row.model,
    workspace: row.organization_id,
  })[dimension];

/** What a group is of: its name as it is now, or the id of what was deleted. */
function Name({ dimension, row }: { dimension: Dimension; row: UsageGroup }): ReactNode {
  const { project_id, project_name, task_id, task_title } = row;
  if (dimension === 'task' && task_title !== undefined && project_id && task_id)
    return (
      <Link
        to="/projects/$project/tasks/$task"
        params={{ project: project_id, task: task_id }}
        dir="auto"
        className="line-clamp-1 hover:underline"
      >
        {task_title}
      </Link>
    );
  if (dimension === 'project' && project_name !== undefined && project_id)
    return (
      <Link
        to="/projects/$project"
        params={{ project: project_id }}
        dir="auto"
        className="line-clamp-1 hover:underline"
      >
        {project_name}
      </Link>
    );
  const name = { member: row.user_name, workspace: row.organization_name };
  const known = dimension === 'member' || dimension === 'workspace' ? name[dimension] : undefined;
  const id = idOf(dimension, row);
  if (known !== undefined || dimension === 'day' || dimension === 'model')
    return <span dir="auto">{known ?? id ?? 'none'}</span>;
  return (
    <span className="text-muted">
      {id === undefined ? 'none' : <span title={id}>Deleted or hidden ({id.slice(0, 8)})</span>}
    </span>
  );
}

const count = (value: number): string => value.toLocaleString('en-US');

/** `1 h 05 min`, `3 min 20 s` */
function duration(seconds: number): string {
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} min`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
}
