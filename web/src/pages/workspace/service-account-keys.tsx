import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { auth } from '../../data/api.ts';
import {
  refreshServiceAccounts,
  type ServiceAccount,
  serviceAccountKeysQuery,
} from '../../data/service-accounts.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, SelectField, TextField } from '../../ui/form.tsx';
import { Empty } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

const DAY = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Never' },
];

/** The keys of a service account. */
export function ServiceAccountKeys({
  org,
  account: { id, name },
}: {
  org: string;
  account: ServiceAccount;
}): ReactNode {
  const keys = useQuery(serviceAccountKeysQuery(id));
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<{ id: string; name: string }>();
  const rows = keys.data ?? [];
  const refresh = () => refreshServiceAccounts(org, id);
  return (
    <>
      {keys.error && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && rows.length === 0 && <Empty>It has no keys yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label={`Keys of ${name}`}
          rows={rows}
          keyOf={(key) => key.id}
          columns={[
            {
              heading: 'Key',
              cell: (key) => (
                <>
                  <span dir="auto" className="break-words">
                    {key.name}
                  </span>
                  {key.read_only && <span className="block text-xs text-muted">only to read</span>}
                </>
              ),
            },
            {
              heading: 'Used',
              wide: true,
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
            },
            {
              heading: 'Expires',
              cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'never'),
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
      <div>
        <Button icon="plus" onClick={() => setMaking(true)}>
          Create a key
        </Button>
      </div>
      {making && <NewKey id={id} onMade={refresh} onClose={() => setMaking(false)} />}
      {revoked && (
        <Confirm
          title="Revoke this key?"
          submit="Revoke the key"
          act={async () => {
            await auth.delete('/auth/service-accounts/{service_account_id}/keys/{key_id}', {
              service_account_id: id,
              key_id: revoked.id,
            });
            await refresh();
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>
            Programs that use <strong dir="auto">{revoked.name}</strong> get nothing from their next
            request on. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}

function NewKey({
  id,
  onMade,
  onClose,
}: {
  id: string;
  onMade: () => Promise<void>;
  onClose: () => void;
}): ReactNode {
  const [key, setKey] = useState<string>();
  if (key !== undefined)
    return (
      <Dialog title="The new key" onClose={onClose}>
        <p>Copy it now, to where its program finds it. It is not shown again.</p>
        <div className="rounded-box bg-raised p-3 break-all">
          <CopyText text={key} label="Copy the key" />
        </div>
        <div>
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form
        submit="Create the key"
        onCancel={onClose}
        onSubmit={async ({ name = '', expires_at, read_only }) => {
          const made = await auth.post('/auth/service-accounts/{service_account_id}/keys', {
            service_account_id: id,
            body: {
              name: name.trim(),
              read_only: read_only === 'on',
              ...(expires_at && {
                expires_at: new Date(Date.now() + Number(expires_at) * DAY).toISOString(),
              }),
            },
          });
          setKey(made.key);
          await onMade();
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          maxLength={100}
          required
          hint="Which program it is for, such as “CI of the shop”."
        />
        <SelectField name="expires_at" label="Expires" options={LIFETIMES} defaultValue="90" />
        <CheckField name="read_only" label="Only to read" hint="It can change nothing." />
      </Form>
    </Dialog>
  );
}
