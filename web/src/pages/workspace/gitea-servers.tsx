import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { giteaConnectionsQuery } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';

type Connection = components['schemas']['GiteaConnection'];

/** The Gitea and Forgejo servers whose repositories the projects of a workspace may use. */
export function GiteaServers({ org, may }: { org: string; may: boolean }): ReactNode {
  const connections = useQuery(giteaConnectionsQuery(org));
  const [connecting, setConnecting] = useState(false);
  const [removing, setRemoving] = useState<Connection>();
  return (
    <Section
      title="Gitea and Forgejo"
      actions={may && <Button onClick={() => setConnecting(true)}>Connect a server</Button>}
    >
      {connections.error && (
        <Failure error={connections.error} retry={() => void connections.refetch()} />
      )}
      {connections.data?.length === 0 && (
        <p className="max-w-prose text-muted">
          None yet. Connect a server of yours with an access token to use its repositories in the
          projects of the workspace.
        </p>
      )}
      {connections.data !== undefined && connections.data.length > 0 && (
        <Table
          label="Gitea and Forgejo servers"
          rows={connections.data}
          keyOf={({ id }) => id}
          columns={[
            { heading: 'Server', cell: ({ url }) => <span className="break-all">{url}</span> },
            {
              heading: 'Account',
              cell: ({ account_login: login }) =>
                login === undefined ? (
                  'Not known: comments are not read'
                ) : (
                  <span className="break-all">@{login}</span>
                ),
            },
            ...(may
              ? [
                  {
                    heading: 'Actions',
                    cell: (connection: Connection) => (
                      <Button onClick={() => setRemoving(connection)}>Remove</Button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {connecting && (
        <Dialog title="Connect a Gitea or Forgejo server" onClose={() => setConnecting(false)}>
          <Form
            submit="Connect"
            onCancel={() => setConnecting(false)}
            onSubmit={async ({ url = '', token = '' }) => {
              await guildhall.post('/api/organizations/{org_id}/gitea/connections', {
                org_id: org,
                body: { url: url.trim(), token: token.trim() },
              });
              await connections.refetch();
              setConnecting(false);
            }}
          >
            <TextField
              name="url"
              label="Address"
              type="url"
              required
              placeholder="https://git.example.com"
              hint="That of a server that is connected already gets the new token."
            />
            <TextField
              name="token"
              label="Access token"
              type="password"
              required
              autoComplete="off"
              hint="Of an account that administers the repositories, with the scopes write:repository, write:issue and read:user."
            />
          </Form>
        </Dialog>
      )}
      {removing && (
        <Confirm
          title="Remove the connection?"
          submit="Remove"
          onClose={() => setRemoving(undefined)}
          act={async () => {
            await guildhall.delete(
              '/api/organizations/{org_id}/gitea/connections/{gitea_connection_id}',
              { org_id: org, gitea_connection_id: removing.id },
            );
            await connections.refetch();
          }}
        >
          <p className="break-words">
            Its token is deleted. Repositories of {removing.url} stay attached to their projects and
            cannot be used until the server is connected again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
