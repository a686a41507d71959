import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayCreate } from '../../data/config.ts';
import { projectsQuery } from '../../data/lists.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Balance } from '../billing/balance.tsx';
import { NewProject } from '../project/new-project.tsx';
import { useWorkspace } from './use-workspace.ts';

/** A workspace at a glance: its money, its projects, and the way to a new one. */
export function WorkspaceOverview(): ReactNode {
  const { id: org, available_actions } = useWorkspace();
  const { create } = useSearch({ from: '/signed-in/workspaces/$org/' });
  const navigate = useNavigate();
  const { projects } = useMayCreate();
  const mayCreate = projects && available_actions.includes('create_project');
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
      {create && mayCreate && (
        <NewProject
          org={org}
          onClose={() => void navigate({ to: '.', search: {}, replace: true })}
        />
      )}
    </>
  );
}

function ProjectTable({ org, mayCreate }: { org: string; mayCreate: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(projectsQuery);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const rows = data?.filter(({ organization_id }) => organization_id === org);
  if (rows === undefined) return null;
  if (rows.length === 0) {
    const body = `{"name":"…","organization_id":"${org}"}`;
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
        { heading: 'Tasks', align: 'right', cell: ({ task_count }) => task_count },
        { heading: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
    />
  );
}
