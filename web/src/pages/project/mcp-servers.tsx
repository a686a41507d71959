import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { mcpServersQuery, refreshProject } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { SetMcpServer } from './set-mcp-server.tsx';

type McpServer = components['schemas']['McpServer'];

type Open = 'add' | { act: 'change' | 'remove'; server: McpServer };

/** The MCP servers that agents of a project are given, for those who may set them. */
export function McpServers({ projectId }: { projectId: string }): ReactNode {
  const query = useQuery(mcpServersQuery(projectId));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const rows = query.data ?? [];
  return (
    <Section
      title="MCP servers"
      actions={
        <Button icon="plus" onClick={() => setOpen('add')}>
          Add an MCP server
        </Button>
      }
    >
      <p className="max-w-prose text-muted">
        Servers of the Model Context Protocol whose tools agents of this project may use. Nobody
        approves beforehand what an agent does there.
      </p>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && rows.length === 0 && <Empty>No MCP servers yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label="MCP servers"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { heading: 'Server', cell: (server) => <Server server={server} /> },
            {
              heading: '',
              align: 'right',
              cell: (server) => (
                <span className="flex flex-wrap justify-end gap-2">
                  <Button
                    aria-label={`Change ${server.name}`}
                    onClick={() => setOpen({ act: 'change', server })}
                  >
                    Change
                  </Button>
                  <Button
                    aria-label={`Remove ${server.name}`}
                    onClick={() => setOpen({ act: 'remove', server })}
                  >
                    Remove
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {open === 'add' && <SetMcpServer projectId={projectId} onClose={close} />}
      {typeof open === 'object' && open.act === 'change' && (
        <SetMcpServer projectId={projectId} before={open.server} onClose={close} />
      )}
      {typeof open === 'object' && open.act === 'remove' && (
        <Confirm
          title={`Remove ${open.server.name}?`}
          submit="Remove the MCP server"
          onClose={close}
          act={async () => {
            await guildhall.delete('/api/projects/{project_id}/mcp-servers/{name}', {
              project_id: projectId,
              name: open.server.name,
            });
            await refreshProject(projectId);
          }}
        >
          <p>Agents do not get it from their next turn on.</p>
        </Confirm>
      )}
    </Section>
  );
}

function Server({ server }: { server: McpServer }): ReactNode {
  const { name, url, command, args, turns, read_only, host_allowed } = server;
  return (
    <span className="flex flex-col gap-1">
      <span className="font-medium">{name}</span>
      <code>{url ?? [command, ...args].join(' ')}</code>
      <span className="text-muted">
        For turns that {turns.join(' or ')}
        {read_only && '; reads only'}
      </span>
      {host_allowed === false && (
        <span className="text-muted">
          Not used: its host is not on the list for agents, under Network.
        </span>
      )}
    </span>
  );
}
