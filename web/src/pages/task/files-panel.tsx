import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { artifactsQuery } from '../../data/task.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Removed } from './removed.tsx';
import type { Task } from './states.ts';

/** The files that the agent has left beside the code. */
export function FilesPanel({ task }: { task: Task }): ReactNode {
  const artifacts = useQuery(artifactsQuery(task.id));
  if (artifacts.error)
    return <Failure error={artifacts.error} retry={() => void artifacts.refetch()} />;
  const rows = artifacts.data ?? [];
  const { files_removed, files_removed_at } = task;
  if (artifacts.data !== undefined && rows.length === 0 && files_removed_at !== undefined)
    return (
      <Removed
        what={files_removed === 1 ? '1 file was' : `${files_removed} files were`}
        at={files_removed_at}
        kept="files_days"
      />
    );
  if (artifacts.data !== undefined && rows.length === 0)
    return (
      <Empty>No files. What the agent leaves beside the code, such as reports, stands here.</Empty>
    );
  return (
    <Table
      label="Files"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'File',
          cell: ({ id, path }) => (
            <a
              href={`/api/tasks/${task.id}/artifacts/${id}/content`}
              className="font-mono text-xs text-link underline"
            >
              {path}
            </a>
          ),
        },
        { heading: 'Bytes', align: 'right', cell: ({ size }) => size.toLocaleString('en') },
        { heading: 'Since', cell: ({ created_at }) => <Time at={created_at} />, wide: true },
      ]}
    />
  );
}
