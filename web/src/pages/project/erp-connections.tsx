import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Connection, connectionsQuery } from '../../data/erp.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { DeleteConnection } from './delete-connection.tsx';
import { AddConnection, EditConnection } from './erp-form.tsx';
import { ErpRow } from './erp-row.tsx';
import { ErpVersion } from './erp-version.tsx';
import type { Project } from './project.ts';

type Open = 'add' | { act: 'edit' | 'delete'; connection: Connection };

/** The connections of a project to Odoo: everyone who can open it sees them, admins change them. */
export function ErpConnections({ project }: { project: Project }): ReactNode {
  const connections = useQuery(connectionsQuery(project.id));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const may = (action: string) => project.available_actions.includes(action);
  const rows = connections.data ?? [];
  return (
    <Section
      title="ERP connections"
      actions={
        may('create_odoo_connection') && (
          <Button icon="plus" onClick={() => setOpen('add')}>
            Add a connection
          </Button>
        )
      }
    >
      <p className="max-w-prose text-muted">
        For projects that work with Odoo; others need none. An agent uses a connection in the tasks
        where a person has activated it. It never gets the secret.
      </p>
      {connections.error && (
        <Failure error={connections.error} retry={() => void connections.refetch()} />
      )}
      {connections.data !== undefined && rows.length === 0 && <NoConnections project={project} />}
      {rows.length > 0 && (
        <ul aria-label="ERP connections" className="flex flex-col gap-2">
          {rows.map((connection) => (
            <li key={connection.id} className="rounded-box border border-line bg-surface p-3">
              <ErpRow
                connection={connection}
                onEdit={() => setOpen({ act: 'edit', connection })}
                onDelete={() => setOpen({ act: 'delete', connection })}
              />
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 ? (
        <ErpVersion key={project.updated_at} project={project} />
      ) : (
        // Throwaway instances need no connection.
        <details>
          <summary className="text-muted">Odoo version</summary>
          <div className="pt-3">
            <ErpVersion key={project.updated_at} project={project} />
          </div>
        </details>
      )}
      {!may('update_project') && (
        <p className="text-muted">Admins of the project can add and change connections.</p>
      )}
      {open === 'add' && <AddConnection project={project} onClose={close} />}
      {typeof open === 'object' && open.act === 'edit' && (
        <EditConnection project={project} id={open.connection.id} onClose={close} />
      )}
      {typeof open === 'object' && open.act === 'delete' && (
        <DeleteConnection connection={open.connection} onClose={close} />
      )}
    </Section>
  );
}

function NoConnections({ project: { id, available_actions } }: { project: Project }): ReactNode {
  if (!available_actions.includes('create_odoo_connection'))
    return <Empty>No connections to Odoo yet.</Empty>;
  const body = '{"name":"Staging","url":"https://…","kind":"api_key","environment":"staging"}';
  const command = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${body}' ${location.origin}/api/projects/${id}/odoo-connections`;
  return (
    <Empty command={<CopyText text={command} label="Copy the command" />}>
      No connections to Odoo yet. Add one with an API key of Odoo, and agents can look at its
      records. This command does the same:
    </Empty>
  );
}
