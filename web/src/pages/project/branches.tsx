import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { branchesQuery } from '../../data/project.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';

/** The branches of a repository, with the tasks that work on them. */
export function Branches({
  repository: { id, project_id, full_name },
}: {
  repository: components['schemas']['Repository'];
}): ReactNode {
  const branches = useInfiniteQuery(branchesQuery(project_id, id));
  const rows = branches.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={`Branches of ${full_name}`}>
      {branches.error && !branches.isFetchNextPageError && (
        <Failure error={branches.error} retry={() => void branches.refetch()} />
      )}
      {branches.data && rows.length === 0 && (
        <Empty>No branches yet. Push a commit, or let a task build something.</Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Branches"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            {
              heading: 'Branch',
              cell: ({ name, is_default }) => (
                <span className="font-medium break-all">
                  {name}
                  {is_default && <span className="font-normal text-muted"> · default</span>}
                </span>
              ),
            },
            {
              heading: 'Commit',
              cell: ({ head_sha }) => <CopyText text={head_sha} short={10} />,
            },
            {
              heading: 'Task',
              cell: ({ task_id }) =>
                task_id && (
                  <Link
                    to="/projects/$project/tasks/$task"
                    params={{ project: project_id, task: task_id }}
                    className="text-link underline"
                  >
                    Task
                  </Link>
                ),
            },
          ]}
        />
      )}
      <More list={branches} />
    </Section>
  );
}
