import { GuildhallError } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { guildhall } from '../../../data/api.ts';
import { diffQuery } from '../../../data/task.ts';
import { Failure } from '../../../ui/failure.tsx';
import { insteadOf } from '../../../ui/instead.ts';
import { Empty } from '../../../ui/page.tsx';
import type { Task } from '../states.ts';
import { CodeToolbar } from './code-toolbar.tsx';
import { Files } from './files.tsx';
import { useIgnoredSpace } from './kept.ts';
import { filesOfPatch } from './patch.ts';

/** What the task, or one commit of it, changes in the code. */
export function CodePanel({ task }: { task: Task }): ReactNode {
  const { commit } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const [ignoredSpace] = useIgnoredSpace();
  const diff = useQuery(diffQuery(task.id, commit));
  const { base, head } = diff.data ?? {};
  const patch = useQuery({
    queryKey: ['task', task.id, 'diff', 'patch', base, head, ignoredSpace],
    enabled: (diff.data?.files.length ?? 0) > 0,
    // Of the same two commits it is the same for ever.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const args = {
        task_id: task.id,
        format: 'patch' as const,
        ignore_space: ignoredSpace,
        ...(commit === undefined ? {} : { commit }),
      };
      const file = await guildhall.download('/api/tasks/{task_id}/diff', args, { signal });
      return file.text();
    },
  });
  const patches = useMemo(
    () => (patch.data === undefined ? undefined : filesOfPatch(patch.data)),
    [patch.data],
  );
  if (commit !== undefined && GuildhallError.is(diff.error, 'commit_not_found'))
    return <CommitGone commit={commit} />;
  if (insteadOf(diff)) return <Failure error={diff.error} retry={() => void diff.refetch()} />;
  if (diff.data === undefined) return null;
  if (diff.data.files.length === 0 && commit === undefined)
    return (
      <Empty>Nothing has been built yet. After the plan is approved, its changes stand here.</Empty>
    );
  return (
    <div className="flex flex-col gap-3">
      <CodeToolbar diff={diff.data} commit={commit} />
      {patch.error && <Failure error={patch.error} retry={() => void patch.refetch()} />}
      <Files
        task={task}
        diff={diff.data}
        patches={patches}
        commit={commit}
        ignoredSpace={ignoredSpace}
      />
    </div>
  );
}

/** A link leads to a commit that was rewritten since, or that the branch lost with a merge. */
const CommitGone = ({ commit }: { commit: string }): ReactNode => (
  <Empty>
    The task has no commit {commit.slice(0, 8)} any more: its branch was rewritten, or it was merged
    and has begun anew.{' '}
    <Link
      from="/projects/$project/tasks/$task"
      to="."
      search={({ commit: _, file: __, lines: ___, ...search }) => search}
      className="text-link underline"
    >
      Show all changes of the task
    </Link>
  </Empty>
);
