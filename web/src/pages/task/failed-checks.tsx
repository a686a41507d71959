import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { checksQuery } from '../../data/task.ts';
import { Icon } from '../../ui/icons.tsx';

type Check = components['schemas']['Check'];

/** Whether a check stands in the way of a merge. */
export const hasFailed = ({ state, conclusion }: Check): boolean =>
  state === 'completed' && !['success', 'neutral', 'skipped'].includes(conclusion ?? '');

/** Where the log of a check is: here, or at the code host that ran it. */
export const logOf = (taskId: string, { id, details_url }: Check): string =>
  details_url ?? `/api/tasks/${taskId}/pull-request/checks/${id}/log`;

/** Which checks failed, each with the way to its log. Nothing if none did. */
export function FailedChecks({ taskId }: { taskId: string }): ReactNode {
  const checks = useQuery(checksQuery(taskId));
  const failed = checks.data?.filter(hasFailed) ?? [];
  if (failed.length === 0) return null;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5 text-wrong">
      <Icon name="warning" />
      {failed.length === 1 ? 'This check failed:' : 'These checks failed:'}
      {failed.map((check) => (
        <a
          key={check.id}
          href={logOf(taskId, check)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`${check.name}: read its log`}
          className="inline-flex min-h-6 items-center font-medium underline"
        >
          {check.name}
        </a>
      ))}
    </span>
  );
}
