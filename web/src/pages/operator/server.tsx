import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { serverQuery } from '../../data/operator.ts';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

const WHY_TASKS_WAIT: Record<string, string> = {
  no_worker: 'No process carries out tasks: start a worker.',
  worker_unable: 'A worker cannot begin: its log says why.',
  pods_unavailable: 'Nothing makes pods now: the log of the worker says why.',
};

/** Versions and figures, and what needs somebody. */
export function ServerSection(): ReactNode {
  const server = useQuery(serverQuery);
  if (insteadOf(server))
    return <Failure error={server.error} retry={() => void server.refetch()} />;
  if (server.data === undefined) return null;
  const { migrations, tasks_wait_because: why, ...now } = server.data;
  const figures: [string, ReactNode][] = [
    ['Guildhall', now.version],
    ['Node.js', now.node_version],
    ['PostgreSQL', now.postgres_version],
    ['Database', `${(now.database_bytes / 1024 / 1024).toFixed(0)} MiB`],
    ['People who are active', now.users],
    ['Workspaces', now.workspaces],
    ['Turns that run', now.turns_running],
    ['Turns that wait', now.turns_queued],
    ['Mail that was given up', now.dead_mails],
    ['Deliveries that were given up', now.failed_deliveries],
  ];
  return (
    <>
      <Section title="Server">
        <p>
          {why === undefined ? (
            <Status state="done">Tasks are carried out</Status>
          ) : (
            <Status state="wrong">{WHY_TASKS_WAIT[why] ?? 'Tasks wait.'}</Status>
          )}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {figures.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title="Migrations">
        <Table
          label="The last migrations"
          rows={migrations}
          keyOf={({ name }) => name}
          columns={[
            { heading: 'Name', cell: ({ name }) => name },
            {
              heading: 'Applied',
              align: 'right',
              cell: ({ applied_at }) => <Time at={applied_at} />,
            },
          ]}
        />
      </Section>
    </>
  );
}
