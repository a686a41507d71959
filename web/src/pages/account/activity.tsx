import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { wordsOf } from '../../data/action-words.ts';
import { auth } from '../../data/api.ts';
import { reasonOf } from '../../data/audit-words.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Event = components['schemas']['AuditEvent'];

/** What happened to the person's account, newest first. */
export function Activity(): ReactNode {
  const trail = useInfiniteQuery({
    queryKey: ['account', 'activity'],
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) => auth.page('/auth/audit-events', pageParam, { signal }),
    getNextPageParam: ({ next }) => next as never,
  });
  const rows: Event[] = trail.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="Activity">
      <p className="max-w-prose text-muted">
        Sign-ins, and changes of your account. If one was not you, set a new password and end your
        other sessions.
      </p>
      {trail.error && !trail.isFetchNextPageError && (
        <Failure error={trail.error} retry={() => void trail.refetch()} />
      )}
      {trail.data && rows.length === 0 && <Empty>Nothing has happened yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label="What happened to your account"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'What',
              cell: ({ action }) => <span title={action}>{wordsOf(action)}</span>,
            },
            {
              heading: 'Outcome',
              cell: ({ outcome }) => (
                <Status state={outcome === 'done' ? 'done' : 'wrong'}>
                  {outcome === 'done' ? 'Done' : 'Refused'}
                </Status>
              ),
            },
            {
              heading: 'Reason',
              wide: true,
              cell: ({ code }) => code && <span title={code}>{reasonOf(code)}</span>,
            },
            {
              heading: 'Request',
              wide: true,
              cell: ({ request_id }) => (
                <CopyText text={request_id} short={8} label="Copy the id of the request" />
              ),
            },
            {
              heading: 'When',
              align: 'right',
              cell: ({ occurred_at }) => <Time at={occurred_at} />,
            },
          ]}
        />
      )}
      <More list={trail} />
    </Section>
  );
}
