import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { diffQuery } from '../../data/task.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { DiffComments } from './diff-comments.tsx';
import { DiffLines, type LinePlace } from './diff-lines.tsx';
import { linesOfPatch } from './patch-lines.ts';
import type { Task } from './states.ts';

/** What the task changes in the code: its files, and the patch. */
export function CodePanel({ task }: { task: Task }): ReactNode {
  const diff = useQuery(diffQuery(task.id));
  const patch = useQuery({
    queryKey: ['task', task.id, 'diff', 'patch', diff.data?.head],
    enabled: (diff.data?.files.length ?? 0) > 0,
    queryFn: async ({ signal }) => {
      const args = { task_id: task.id, format: 'patch' as const };
      const file = await guildhall.download('/api/tasks/{task_id}/diff', args, { signal });
      return file.text();
    },
  });
  const lines = useMemo(() => linesOfPatch(patch.data ?? ''), [patch.data]);
  const [chosen, setChosen] = useState<LinePlace>();
  const may = task.available_actions.includes('create_diff_comment');
  if (diff.error) return <Failure error={diff.error} retry={() => void diff.refetch()} />;
  if (diff.data === undefined) return null;
  const { files, additions, deletions, branch, merged, base = '', head = '' } = diff.data;
  if (files.length === 0)
    return (
      <Empty>Nothing has been built yet. After the plan is approved, its changes stand here.</Empty>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        {merged && 'What was merged: '}
        {files.length === 1 ? 'One file' : `${files.length} files`} on{' '}
        <code className="font-mono text-xs">{branch}</code>, {additions} added and {deletions}{' '}
        removed lines
      </p>
      <Table
        label="Changed files"
        rows={files}
        keyOf={({ path }) => path}
        columns={[
          {
            heading: 'File',
            cell: ({ path }) => <span className="font-mono text-xs">{path}</span>,
          },
          { heading: 'Change', cell: ({ status }) => status },
          { heading: 'Added', align: 'right', cell: (file) => file.additions },
          { heading: 'Removed', align: 'right', cell: (file) => file.deletions },
        ]}
      />
      {patch.error && <Failure error={patch.error} retry={() => void patch.refetch()} />}
      {patch.data !== undefined && (
        <>
          <DiffComments
            task={task}
            lines={lines}
            commits={{ old: base, new: head }}
            chosen={chosen}
            choose={setChosen}
          />
          <DiffLines label="Patch" lines={lines} onLine={may ? setChosen : undefined} />
        </>
      )}
    </div>
  );
}
