import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Diff } from './changed-file.ts';
import { useIgnoredSpace, useLayout } from './kept.ts';

const MOST_TITLE = 60;

/** What is compared, and how it is shown. */
export function CodeToolbar({
  diff,
  commit,
}: {
  diff: Diff;
  commit: string | undefined;
}): ReactNode {
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const [layout, setLayout] = useLayout();
  const [ignored, setIgnored] = useIgnoredSpace();
  const { files_changed, additions, deletions, branch, merged, commits = [] } = diff;
  return (
    <>
      <p className="text-muted">
        {merged && 'What was merged: '}
        {files_changed === 1 ? 'One file' : `${files_changed.toLocaleString('en')} files`} on{' '}
        <code className="font-mono text-xs">{branch}</code>, {additions.toLocaleString('en')} added
        and {deletions.toLocaleString('en')} removed lines
      </p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {commits.length > 1 && (
          <label className="flex min-w-0 items-center gap-2">
            <span className="shrink-0">Commit</span>
            <select
              value={commit ?? ''}
              onChange={({ currentTarget: { value } }) =>
                void navigate({
                  to: '.',
                  search: ({ file: _, lines: __, ...search }) => ({
                    ...search,
                    commit: value === '' ? undefined : value,
                  }),
                  replace: true,
                })
              }
              className="min-w-0 max-w-72 truncate rounded-box border border-edge bg-surface px-2 py-1"
            >
              <option value="">All {commits.length} commits</option>
              {commits.map(({ id, title }) => (
                <option key={id} value={id}>
                  {id.slice(0, 8)} {title.slice(0, MOST_TITLE)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="flex items-center gap-2">
          View
          <select
            value={layout}
            onChange={({ currentTarget: { value } }) =>
              setLayout(value === 'split' ? 'split' : 'unified')
            }
            className="rounded-box border border-edge bg-surface px-2 py-1"
          >
            <option value="unified">Unified</option>
            <option value="split">Side by side</option>
          </select>
        </label>
        <label className="flex items-center gap-1">
          <input
            type="checkbox"
            checked={ignored}
            onChange={({ currentTarget: { checked } }) => setIgnored(checked)}
            className="m-1 size-4 accent-accent"
          />
          Ignore white space
        </label>
      </div>
    </>
  );
}
