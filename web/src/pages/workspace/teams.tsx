import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace, teamsQuery } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RIGHTS, rightsOf, TeamFields } from './team-fields.tsx';
import { useWorkspace } from './use-workspace.ts';

/** The teams of a workspace. */
export function Teams(): ReactNode {
  const { id: org, available_actions } = useWorkspace();
  const teams = useQuery(teamsQuery(org));
  const [creating, setCreating] = useState(false);
  const may = available_actions.includes('create_team');
  return (
    <Section
      title="Teams"
      actions={
        may && (
          <Button icon="plus" look="primary" onClick={() => setCreating(true)}>
            New team
          </Button>
        )
      }
    >
      {teams.error && <Failure error={teams.error} retry={() => void teams.refetch()} />}
      {teams.data?.length === 0 && (
        <Empty>
          No teams yet. A team opens its projects to its members, and can have rights of its own.
        </Empty>
      )}
      {teams.data !== undefined && teams.data.length > 0 && (
        <Table
          label="Teams"
          rows={teams.data}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Team',
              cell: ({ id, name }) => (
                <Link
                  to="/workspaces/$org/teams/$team"
                  params={{ org, team: id }}
                  dir="auto"
                  className="font-medium hover:underline"
                >
                  {name}
                </Link>
              ),
            },
            {
              heading: 'Rights',
              wide: true,
              cell: (team) =>
                RIGHTS.filter(({ field }) => team[field])
                  .map(({ short }) => short)
                  .join(', '),
            },
            { heading: 'Members', align: 'right', cell: ({ member_count }) => member_count },
            { heading: 'Projects', align: 'right', cell: ({ project_count }) => project_count },
          ]}
        />
      )}
      {creating && <NewTeam org={org} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function NewTeam({ org, onClose }: { org: string; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  return (
    <Dialog title="New team" onClose={onClose}>
      <Form
        submit="Create the team"
        onCancel={onClose}
        onSubmit={async (values) => {
          const { id } = await guildhall.post('/api/organizations/{org_id}/teams', {
            org_id: org,
            body: { name: values.name ?? '', ...rightsOf(values) },
          });
          await refreshWorkspace(org);
          await navigate({ to: '/workspaces/$org/teams/$team', params: { org, team: id } });
        }}
      >
        <TeamFields />
      </Form>
    </Dialog>
  );
}
