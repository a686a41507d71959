import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { keysQuery, refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { workspacesQuery } from '../../data/lists.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewKey } from './new-key.tsx';

type Key = components['schemas']['ApiKey'];

/** The person's API keys. */
export function Keys(): ReactNode {
  const keys = useQuery(keysQuery);
  const workspaces = useQuery(workspacesQuery);
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const nameOf = (id: string) => workspaces.data?.find((each) => each.id === id)?.name ?? id;
  return (
    <Section
      title="API keys"
      actions={
        <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
          Create a key
        </Button>
      }
    >
      {keys.error && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data?.length === 0 && (
        <Empty>
          No keys yet. Programs call the API with a key, as you: create one for each program, so
          that you can revoke it alone.
        </Empty>
      )}
      {keys.data !== undefined && keys.data.length > 0 && (
        <Table
          label="Your API keys"
          rows={keys.data}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Name',
              cell: ({ name }) => (
                <span dir="auto" title={name} className="line-clamp-1">
                  {name}
                </span>
              ),
            },
            {
              heading: 'Opens',
              wide: true,
              cell: ({ read_only, organization_id }) => (
                <span dir="auto">
                  {organization_id === undefined ? 'All you can open' : nameOf(organization_id)}
                  {read_only && ', to read'}
                </span>
              ),
            },
            { heading: 'Created', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              heading: 'Used',
              wide: true,
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
            },
            {
              heading: 'Expires',
              cell: ({ expires_at }) => (expires_at ? <Expiry at={expires_at} /> : 'never'),
            },
            {
              heading: '',
              align: 'right',
              cell: (key) => (
                <Button aria-label={`Revoke ${key.name}`} onClick={() => setRevoked(key)}>
                  Revoke
                </Button>
              ),
            },
          ]}
        />
      )}
      {making && <NewKey workspaces={workspaces.data ?? []} onClose={() => setMaking(false)} />}
      {revoked && <Revoke apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Section>
  );
}

function Expiry({ at }: { at: string }): ReactNode {
  return Date.parse(at) > Date.now() ? (
    <Time at={at} />
  ) : (
    <span className="text-wrong">
      expired <Time at={at} />
    </span>
  );
}

function Revoke({ apiKey, onClose }: { apiKey: Key; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Revoke this key?"
      submit="Revoke the key"
      act={async () => {
        await auth.delete('/auth/keys/{key_id}', { key_id: apiKey.id });
        await refreshAccount();
      }}
      onClose={onClose}
    >
      <p>
        Programs that use <strong dir="auto">{apiKey.name}</strong> get nothing from their next
        request on. This cannot be undone.
      </p>
    </Confirm>
  );
}
