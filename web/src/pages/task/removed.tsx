import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { configQuery } from '../../data/config.ts';
import { Time } from '../../ui/time.tsx';

/** Says that what was there is gone because of its age, and after how long. */
export function Removed({
  what,
  at,
  kept,
}: {
  what: string;
  at: string;
  /** Which period of this server it is. */
  kept: 'conversations_days' | 'files_days';
}): ReactNode {
  const config = useQuery(configQuery);
  const days = config.data?.retention[kept];
  return (
    <p className="rounded-box border border-line p-2 text-muted">
      {what} removed{days === undefined ? '' : ` after ${days} ${days === 1 ? 'day' : 'days'}`} in
      the archive, <Time at={at} />.
    </p>
  );
}
