import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectsQuery, workspacesQuery } from '../../data/lists.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { ColorName } from '../../ui/people.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** The person's workspaces with their counts. */
export function Workspaces(): ReactNode {
  const { data, error, refetch } = useQuery(workspacesQuery);
  const command = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name":"…"}' ${location.origin}/api/organizations`;
  return (
    <Section title="Workspaces">
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty command={<CopyText text={command} label="Copy the command" />}>
          You belong to no workspace. Create one above to work with others, or ask for an invitation
          to theirs. This command creates one, too:
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table
          label="Workspaces"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Workspace',
              cell: ({ id, name, color }) => (
                <Link
                  to="/workspaces/$org"
                  params={{ org: id }}
                  className="font-medium hover:underline"
                >
                  <ColorName name={name} color={color} />
                </Link>
              ),
            },
            {
              heading: 'Your role',
              wide: true,
              cell: ({ role_name, role_color }) => (
                <ColorName name={role_name} color={role_color} />
              ),
            },
            {
              heading: 'Members',
              align: 'right',
              cell: ({ member_count }) => member_count.toLocaleString('en'),
            },
            {
              heading: 'Projects',
              align: 'right',
              cell: ({ project_count }) => project_count.toLocaleString('en'),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Every project that the person can open. */
export function Projects(): ReactNode {
  const { data, error, refetch } = useQuery(projectsQuery);
  const workspaces = useQuery(workspacesQuery);
  const placeOf = (org?: string) =>
    org === undefined
      ? 'Personal'
      : (workspaces.data?.find(({ id }) => id === org)?.name ?? 'Shared with you');
  return (
    <Section title="Projects">
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty>
          No projects yet. Create a personal one above, or open a workspace and create one there.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table
          label="Projects"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Project',
              cell: ({ id, name, organization_id }) => (
                <div className="flex flex-col">
                  <Link
                    to="/projects/$project"
                    params={{ project: id }}
                    dir="auto"
                    className="font-medium hover:underline"
                  >
                    {name}
                  </Link>
                  <span dir="auto" className="text-xs text-muted">
                    {placeOf(organization_id)}
                  </span>
                </div>
              ),
            },
            {
              heading: 'Tasks',
              align: 'right',
              cell: ({ task_count }) => task_count.toLocaleString('en'),
            },
            { heading: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
          ]}
        />
      )}
    </Section>
  );
}
