import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  refreshServiceAccounts,
  type ServiceAccount,
  serviceAccountsQuery,
} from '../../data/service-accounts.ts';
import { rolesQuery } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { assignable } from './roles-to-give.ts';
import { ServiceAccountKeys } from './service-account-keys.tsx';
import { useWorkspace } from './use-workspace.ts';

/** The service accounts of a workspace; the address says which one is open. */
export function ServiceAccounts(): ReactNode {
  const { id: org } = useWorkspace();
  const { account: chosen } = useSearch({ strict: false });
  const query = useQuery(serviceAccountsQuery(org));
  const [adding, setAdding] = useState(false);
  const rows = query.data ?? [];
  const open = rows.find(({ id }) => id === chosen);
  return (
    <>
      <Section
        title="Service accounts"
        // Who may see them may also add one.
        actions={
          query.data && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              Add a service account
            </Button>
          )
        }
      >
        <p className="max-w-prose text-muted">
          Programs and routines act as a service account, with keys and a role of its own. Nobody
          signs in as it, and it goes with the workspace.
        </p>
        {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
        {query.data && rows.length === 0 && <Empty>No service accounts yet.</Empty>}
        {rows.length > 0 && (
          <Table
            label="Service accounts"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                heading: 'Name',
                cell: ({ id, name }) => (
                  <Link
                    to="."
                    search={{ account: id }}
                    resetScroll={false}
                    dir="auto"
                    className="font-medium break-words text-link hover:underline"
                  >
                    {name}
                  </Link>
                ),
              },
              { heading: 'Role', cell: ({ role_name }) => <span dir="auto">{role_name}</span> },
              { heading: 'Keys', cell: ({ keys }) => keys },
            ]}
          />
        )}
        {adding && <Add org={org} onClose={() => setAdding(false)} />}
      </Section>
      {chosen !== undefined && query.data && !query.isFetching && open === undefined && (
        <Failure error={undefined} says="This is not there any more, or you may not open it." />
      )}
      {open && <Details key={open.id} org={org} account={open} />}
    </>
  );
}

function Add({ org, onClose }: { org: string; onClose: () => void }): ReactNode {
  const roles = useQuery(rolesQuery(org));
  const navigate = useNavigate();
  return (
    <Dialog title="Add a service account" onClose={onClose}>
      {roles.error && <Failure error={roles.error} retry={() => void roles.refetch()} />}
      <Form
        disabled={roles.data === undefined}
        submit="Add the service account"
        onCancel={onClose}
        onSubmit={async ({ name = '', role_id = '' }) => {
          const made = await guildhall.post('/api/organizations/{org_id}/service-accounts', {
            org_id: org,
            body: { name: name.trim(), role_id },
          });
          await refreshServiceAccounts(org);
          void navigate({ to: '.', search: { account: made.id }, resetScroll: false });
          onClose();
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          maxLength={100}
          required
          hint="What it is for, such as “Nightly checks”. It stands wherever a person’s name would."
        />
        {roles.data && (
          <SelectField
            name="role_id"
            label="Role"
            defaultValue={
              roles.data.find(({ slug, scope }) => slug === 'member' && scope === 'workspace')?.id
            }
            options={assignable(roles.data)}
          />
        )}
      </Form>
    </Dialog>
  );
}

function Details({ org, account }: { org: string; account: ServiceAccount }): ReactNode {
  const { id, name } = account;
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  const navigate = useNavigate();
  return (
    <Section
      title={name}
      actions={
        <span className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen('rename')}>Rename</Button>
          <Button look="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </span>
      }
    >
      <p className="max-w-prose text-muted">
        Its role and teams are changed{' '}
        <Link
          to="/workspaces/$org/members"
          params={{ org }}
          search={{ person: id }}
          className="text-link underline"
        >
          among the members
        </Link>
        .
      </p>
      <ServiceAccountKeys org={org} account={account} />
      {open === 'rename' && (
        <Dialog title="Rename the service account" onClose={close}>
          <Form
            submit="Save"
            onCancel={close}
            onSubmit={async ({ name: next = '' }) => {
              await guildhall.put('/api/service-accounts/{service_account_id}', {
                service_account_id: id,
                body: { name: next.trim() },
              });
              await refreshServiceAccounts(org);
              close();
            }}
          >
            <TextField
              name="name"
              label="Name"
              dir="auto"
              maxLength={100}
              defaultValue={name}
              required
            />
          </Form>
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete this service account?"
          submit="Delete the service account"
          onClose={close}
          act={async () => {
            await guildhall.delete('/api/service-accounts/{service_account_id}', {
              service_account_id: id,
            });
            void navigate({ to: '.', search: {}, resetScroll: false });
            await refreshServiceAccounts(org);
          }}
        >
          <p>
            The keys of <strong dir="auto">{name}</strong> open nothing from now on, and routines
            that act for it are paused when they would begin. What it has done keeps its name.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
