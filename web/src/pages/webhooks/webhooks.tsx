import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { KIND_NAMES, type Place, type Webhook, webhooksQuery } from '../../data/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { AddWebhook } from './add-webhook.tsx';
import { WebhookDetails } from './webhook-details.tsx';

/** The webhooks of the workspace or the project of the address, which says which one is open. */
export function Webhooks(): ReactNode {
  const { org, project = '' } = useParams({ strict: false });
  const { webhook: chosen } = useSearch({ strict: false });
  const place: Place = org === undefined ? { project } : { org };
  const query = useQuery(webhooksQuery(place));
  const [adding, setAdding] = useState(false);
  const rows = query.data ?? [];
  const open = rows.find(({ id }) => id === chosen);
  return (
    <>
      <Section
        title="Webhooks"
        // Who may see them may also add one.
        actions={
          query.data && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              Add a webhook
            </Button>
          )
        }
      >
        <p className="max-w-prose text-muted">
          What happens {'org' in place ? 'in the workspace and its projects' : 'in the project'} is
          sent to an address of yours as it happens: to a program, or to a channel of Slack or
          Discord.
        </p>
        {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
        {query.data && rows.length === 0 && <Empty>No webhooks yet.</Empty>}
        {rows.length > 0 && (
          <Table
            label="Webhooks"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                heading: 'Name',
                cell: ({ id, name, url }) => (
                  <>
                    <Link
                      to="."
                      search={{ webhook: id }}
                      resetScroll={false}
                      dir="auto"
                      className="font-medium break-words text-link hover:underline"
                    >
                      {name}
                    </Link>
                    <span className="block text-xs break-all text-muted">{url}</span>
                  </>
                ),
              },
              { heading: 'Kind', wide: true, cell: ({ kind }) => KIND_NAMES[kind] },
              { heading: 'State', cell: (webhook) => <StateOf webhook={webhook} /> },
            ]}
          />
        )}
        {adding && <AddWebhook place={place} onClose={() => setAdding(false)} />}
      </Section>
      {chosen !== undefined && query.data && !query.isFetching && open === undefined && (
        <Failure error={undefined} says="This is not there any more, or you may not open it." />
      )}
      {open && <WebhookDetails key={open.id} place={place} webhook={open} />}
    </>
  );
}

function StateOf({ webhook: { enabled, disabled_reason } }: { webhook: Webhook }): ReactNode {
  if (enabled) return <Status state="done">on</Status>;
  if (disabled_reason === undefined) return <Status state="idle">off</Status>;
  return (
    <>
      <Status state="wrong">off</Status>
      <span className="block text-xs text-muted">
        {disabled_reason === 'gone' ? 'It is gone.' : 'It failed for three days.'}
      </span>
    </>
  );
}
