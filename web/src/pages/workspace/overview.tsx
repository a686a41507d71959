import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectsQuery } from '../../data/lists.ts';
import { balanceQuery } from '../../data/workspace.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewProject } from '../project/new-project.tsx';
import { useWorkspace } from './use-workspace.ts';

/** A workspace at a glance: its money, its projects, and the way to a new one. */
export function WorkspaceOverview(): ReactNode {
  const { id: org, available_actions } = useWorkspace();
  const { create } = useSearch({ from: '/signed-in/workspaces/$org/' });
  const navigate = useNavigate();
  const mayCreate = available_actions.includes('create_project');
  return (
    <>
      {available_actions.includes('get_workspace_balance') && <Balance org={org} />}
      <Section
        title="Projects"
        actions={
          mayCreate && (
            <ButtonLink
              to="/workspaces/$org"
              params={{ org }}
              search={{ create: true }}
              icon="plus"
              look="primary"
            >
              New project
            </ButtonLink>
          )
        }
      >
        <ProjectTable org={org} mayCreate={mayCreate} />
      </Section>
      {create && (
        <NewProject
          org={org}
          onClose={() => void navigate({ to: '.', search: {}, replace: true })}
        />
      )}
    </>
  );
}

function Balance({ org }: { org: string }): ReactNode {
  const { data, error, refetch } = useQuery(balanceQuery(org));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 rounded-box border border-line bg-surface p-4">
      <div>
        <dt className="text-xs text-muted">Available</dt>
        <dd className="text-lg font-semibold">
          <Money amount={data.available} />
        </dd>
      </div>
      <div>
        <dt className="text-xs text-muted">Held for running tasks</dt>
        <dd className="text-lg">
          <Money amount={data.held} />
        </dd>
      </div>
      {data.status === 'frozen' && (
        <div>
          <dt className="text-xs text-muted">State</dt>
          <dd>
            <Status state="wrong">Frozen: no task runs until funds are added</Status>
          </dd>
        </div>
      )}
    </dl>
  );
}

function ProjectTable({ org, mayCreate }: { org: string; mayCreate: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(projectsQuery);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const rows = data?.filter(({ organization_id }) => organization_id === org);
  if (rows === undefined) return null;
  if (rows.length === 0) {
    const body = `{"name":"…","organization_id":"${org}","erp_version":"19.0","erp_edition":"community"}`;
    const command = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${body}' ${location.origin}/api/projects`;
    return mayCreate ? (
      <Empty command={<CopyText text={command} label="Copy the command" />}>
        No projects yet. Create the first one with the button above, or with this command:
      </Empty>
    ) : (
      <Empty>
        You can open no project here yet. Ask an admin of the workspace to add you to one.
      </Empty>
    );
  }
  return (
    <Table
      label="Projects"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'Project',
          cell: ({ id, name }) => (
            <Link
              to="/projects/$project"
              params={{ project: id }}
              dir="auto"
              className="font-medium hover:underline"
            >
              {name}
            </Link>
          ),
        },
        {
          heading: 'Odoo',
          wide: true,
          cell: ({ erp_version, erp_edition }) => `${erp_version} ${erp_edition}`,
        },
        { heading: 'Tasks', align: 'right', cell: ({ task_count }) => task_count },
        { heading: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
    />
  );
}
