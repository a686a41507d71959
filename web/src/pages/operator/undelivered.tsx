import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  deadMailsQuery,
  type FailedDelivery,
  failedDeliveriesQuery,
  type OperatedMail,
  refreshOperator,
} from '../../data/operator.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Paged } from './paged.tsx';

/** Mail and deliveries of webhooks that were given up. */
export function Undelivered(): ReactNode {
  const mails = useInfiniteQuery(deadMailsQuery);
  const deliveries = useInfiniteQuery(failedDeliveriesQuery);
  const [failure, setFailure] = useState<unknown>();
  const mailColumns = useMemo(() => mailColumnsOf(setFailure), []);
  const deliveryColumns = useMemo(() => deliveryColumnsOf(setFailure), []);
  return (
    <>
      {failure !== undefined && <Failure error={failure} />}
      <Section title="Mail">
        <Paged label="Mail" list={mails} columns={mailColumns} none="No mail was given up." />
      </Section>
      <Section title="Deliveries of webhooks">
        <Paged
          label="Deliveries of webhooks"
          list={deliveries}
          columns={deliveryColumns}
          none="No delivery was given up in the last 30 days."
        />
      </Section>
    </>
  );
}

type OnFailure = (error: unknown) => void;

const mailColumnsOf = (onFailure: OnFailure): readonly Column<OperatedMail>[] => [
  {
    heading: 'To',
    cell: ({ recipient, kind }) => (
      <>
        <span dir="auto">{recipient}</span>
        <span className="block text-xs text-muted">{kind.replaceAll('_', ' ')}</span>
      </>
    ),
  },
  { heading: 'Why', wide: true, cell: ({ last_error }) => last_error ?? '' },
  { heading: 'Queued', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    heading: '',
    align: 'right',
    cell: ({ id: mail_id, recipient }) => (
      <ActButton
        label={`Send again to ${recipient}`}
        onFailure={onFailure}
        act={async () => {
          await guildhall.post('/api/operator/mails/{mail_id}/resend', { mail_id });
          await refreshOperator();
        }}
      >
        Send again
      </ActButton>
    ),
  },
];

const deliveryColumnsOf = (onFailure: OnFailure): readonly Column<FailedDelivery>[] => [
  {
    heading: 'Webhook',
    cell: ({ webhook_name, workspace_name, type }) => (
      <>
        <span dir="auto">{webhook_name}</span>
        <span dir="auto" className="block text-xs text-muted">
          {type}
          {workspace_name && `, ${workspace_name}`}
        </span>
      </>
    ),
  },
  {
    heading: 'Why',
    wide: true,
    cell: ({ status, error }) => error ?? (status === undefined ? '' : `answered ${status}`),
  },
  { heading: 'Created', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    heading: '',
    align: 'right',
    cell: ({ id: delivery_id, webhook_name, webhook_is_on }) =>
      webhook_is_on ? (
        <ActButton
          label={`Send again to ${webhook_name}`}
          onFailure={onFailure}
          act={async () => {
            await guildhall.post('/api/operator/webhook-deliveries/{delivery_id}/resend', {
              delivery_id,
            });
            await refreshOperator();
          }}
        >
          Send again
        </ActButton>
      ) : (
        <span className="text-xs text-muted">switched off</span>
      ),
  },
];
