import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { applicationsQuery, refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Application = components['schemas']['ConnectedApplication'];

/** The applications that the person has let in. */
export function Applications(): ReactNode {
  const applications = useQuery(applicationsQuery);
  const [removed, setRemoved] = useState<Application>();
  const rows = applications.data ?? [];
  return (
    <Section title="Connected applications">
      {applications.error && (
        <Failure error={applications.error} retry={() => void applications.refetch()} />
      )}
      {!isSecureContext && (
        <p className="max-w-prose text-muted">
          Applications need HTTPS, or a server on their own machine. At {location.origin}, none can
          be connected: its tokens would pass the network in the clear. Ask the operator for HTTPS,
          or give the application an{' '}
          <Link to="/account/keys" className="text-link underline">
            API key
          </Link>
          .
        </p>
      )}
      {isSecureContext && applications.data?.length === 0 && (
        <p className="max-w-prose text-muted">
          None yet. An application such as an editor asks you here when it connects to{' '}
          {location.origin}/mcp.
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label="Connected applications"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Name',
              cell: ({ name, redirect_uri }) => (
                <span dir="auto" title={redirect_uri} className="line-clamp-1">
                  {name}
                </span>
              ),
            },
            {
              heading: 'May',
              cell: ({ read_only }) => (read_only ? 'only read' : 'act as you'),
            },
            {
              heading: 'Connected',
              wide: true,
              cell: ({ created_at }) => <Time at={created_at} />,
            },
            {
              heading: 'Used',
              wide: true,
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
            },
            {
              heading: '',
              align: 'right',
              cell: (application) => (
                <Button
                  aria-label={`Remove ${application.name}`}
                  onClick={() => setRemoved(application)}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {removed && (
        <Confirm
          title="Remove this application?"
          submit="Remove the application"
          act={async () => {
            await auth.delete('/auth/applications/{application_id}', {
              application_id: removed.id,
            });
            await refreshAccount();
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            <strong dir="auto">{removed.name}</strong> can do nothing more from its next request on.
            It can ask you again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
