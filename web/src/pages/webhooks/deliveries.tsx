import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  type Delivery,
  deliveriesQuery,
  EVENT_NAMES,
  type EventType,
  refreshDeliveries,
} from '../../data/webhooks.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** What was sent to a webhook, newest first. */
export function Deliveries({
  webhookId,
  enabled,
}: {
  webhookId: string;
  enabled: boolean;
}): ReactNode {
  const query = useInfiniteQuery(deliveriesQuery(webhookId));
  const [failure, setFailure] = useState<unknown>();
  const resend = async ({ id }: Delivery) => {
    await guildhall.post('/api/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', {
      webhook_id: webhookId,
      delivery_id: id,
    });
    await refreshDeliveries(webhookId);
  };
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {failure !== undefined && <Failure error={failure} />}
      {query.data && rows.length === 0 && <Empty>Nothing was sent in the last 30 days.</Empty>}
      {rows.length > 0 && (
        <Table
          label="Deliveries"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Event',
              cell: ({ type, created_at }) => (
                <>
                  {nameOf(type)}
                  <span className="block text-xs text-muted">
                    <Time at={created_at} />
                  </span>
                </>
              ),
            },
            {
              heading: 'Outcome',
              cell: (row) => (
                <div className="flex flex-wrap items-center justify-between gap-2">
                  <div className="flex min-w-0 flex-col gap-1">
                    <StateOf delivery={row} />
                    <Answer delivery={row} />
                  </div>
                  {enabled && (
                    <ActButton
                      label={`Send again: ${nameOf(row.type)}`}
                      onFailure={setFailure}
                      act={() => resend(row)}
                    >
                      Send again
                    </ActButton>
                  )}
                </div>
              ),
            },
          ]}
        />
      )}
      <More list={query} />
    </>
  );
}

const nameOf = (type: string): string =>
  EVENT_NAMES[type as EventType] ??
  (type === 'webhook.test' ? 'A test' : 'A row of the audit trail');

const STATES: Record<Delivery['state'], State> = {
  waiting: 'waiting',
  delivered: 'done',
  failed: 'wrong',
};

function StateOf({ delivery: { state, attempts, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <span>
      <Status state={STATES[state]}>{state}</Status>{' '}
      <span className="text-xs text-muted">
        {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {attempts > 0 && next_attempt_at !== undefined && (
          <>
            , next <Time at={next_attempt_at} />
          </>
        )}
      </span>
    </span>
  );
}

function Answer({ delivery: { status, error, answer, duration_ms } }: { delivery: Delivery }) {
  if (status === undefined && error === undefined) return null;
  return (
    <>
      {status !== undefined && (
        <span>
          {status}
          {duration_ms !== undefined && ` in ${duration_ms} ms`}
        </span>
      )}
      {error !== undefined && <span className="block break-words">{error}</span>}
      {answer !== undefined && answer !== '' && (
        <code className="line-clamp-2 block text-xs break-all">{answer}</code>
      )}
    </>
  );
}
