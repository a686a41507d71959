import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectsQuery } from '../../data/lists.ts';
import { queries } from '../../data/queries.ts';
import {
  refreshWorkspace,
  teamMembersQuery,
  teamProjectsQuery,
  teamQuery,
} from '../../data/workspace.ts';
import { Anew } from '../../ui/anew.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Section } from '../../ui/page.tsx';
import { PersonName } from '../../ui/people.tsx';
import { Select } from '../../ui/select.tsx';
import { PersonPicker } from './person-picker.tsx';
import { RIGHTS, rightsOf, TeamFields } from './team-fields.tsx';
import { TeamList } from './team-list.tsx';
import { useWorkspace } from './use-workspace.ts';

/** One team: its members, its projects, its rights. */
export function TeamPage(): ReactNode {
  const { id: org_id, available_actions } = useWorkspace();
  const { team: team_id } = useParams({ from: '/signed-in/workspaces/$org/teams/$team' });
  const navigate = useNavigate();
  const team = useQuery(teamQuery(org_id, team_id));
  const members = useQuery(teamMembersQuery(org_id, team_id));
  const projects = useQuery(teamProjectsQuery(org_id, team_id));
  const allProjects = useQuery(projectsQuery);
  const [deleting, setDeleting] = useState(false);
  const [joined, setJoined] = useState(0);
  // Who may create teams may change them.
  const may = available_actions.includes('create_team');
  if (insteadOf(team)) return <Failure error={team.error} retry={() => void team.refetch()} />;
  if (team.data === undefined) return null;
  const changed = () => refreshWorkspace(org_id);
  const others = (allProjects.data ?? [])
    .filter(({ id, organization_id }) => {
      return organization_id === org_id && !projects.data?.some((each) => each.id === id);
    })
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <p className="text-xs">
        <Link to="/workspaces/$org/teams" params={{ org: org_id }} className="text-link underline">
          All teams
        </Link>
      </p>
      <h2 dir="auto" className="text-lg font-semibold">
        {team.data.name}
      </h2>
      <TeamList
        title="Members"
        thing="person"
        may={may}
        query={members}
        rows={members.data?.map(({ user_id, name, email }) => ({
          id: user_id,
          name: name ?? email,
          shown: <PersonName name={name} email={email} />,
        }))}
        field={(_, choose) => (
          <PersonPicker
            // Empty again when the person has joined.
            key={joined}
            org={org_id}
            aria-label="The person to add"
            placeholder="Choose a person"
            className="w-48 rounded-box border border-edge bg-surface px-2 py-1 placeholder:text-muted"
            only={({ user_id }) => !members.data?.some((each) => each.user_id === user_id)}
            onChoose={(chosen) => choose(chosen?.id)}
          />
        )}
        add={async (user_id) => {
          const path = '/api/organizations/{org_id}/teams/{team_id}/members/{user_id}';
          await guildhall.put(path, { org_id, team_id, user_id });
          setJoined((count) => count + 1);
          await changed();
        }}
        remove={async (user_id) => {
          const path = '/api/organizations/{org_id}/teams/{team_id}/members/{user_id}';
          await guildhall.delete(path, { org_id, team_id, user_id });
          await changed();
        }}
      />
      <TeamList
        title="Projects"
        thing="project"
        may={may}
        query={projects}
        rows={projects.data?.map(({ id, name }) => ({
          id,
          name,
          shown: (
            <Link
              to="/projects/$project"
              params={{ project: id }}
              dir="auto"
              className="font-medium hover:underline"
            >
              {name}
            </Link>
          ),
        }))}
        field={(chosen, choose) =>
          others.length > 0 && (
            <Select
              label="The project to add"
              value={chosen}
              none="Choose a project"
              options={others}
              onChange={choose}
            />
          )
        }
        add={async (project_id) => {
          const path = '/api/organizations/{org_id}/teams/{team_id}/projects/{project_id}';
          await guildhall.put(path, { org_id, team_id, project_id });
          await changed();
        }}
        remove={async (project_id) => {
          const path = '/api/organizations/{org_id}/teams/{team_id}/projects/{project_id}';
          await guildhall.delete(path, { org_id, team_id, project_id });
          await changed();
        }}
      />
      <Section title="Name and rights">
        {may ? (
          <Anew read={team.data} version={team.data.updated_at}>
            {(begun, sent) => (
              <Form
                submit="Save"
                onSubmit={async (values) => {
                  await guildhall.put('/api/organizations/{org_id}/teams/{team_id}', {
                    org_id,
                    team_id,
                    body: { name: values.name ?? '', ...rightsOf(values) },
                  });
                  sent();
                  await changed();
                }}
              >
                <TeamFields team={begun} />
              </Form>
            )}
          </Anew>
        ) : (
          <p className="text-muted">
            {RIGHTS.filter(({ field }) => team.data[field])
              .map(({ label }) => label)
              .join('. ') || 'The team has no rights beyond the roles of its members.'}
          </p>
        )}
      </Section>
      {may && (
        <div className="border-t border-line pt-4">
          <Button onClick={() => setDeleting(true)}>Delete the team</Button>
        </div>
      )}
      {deleting && (
        <ConfirmByName
          title="Delete this team?"
          name={team.data.name}
          submit="Delete the team"
          onClose={() => setDeleting(false)}
          onSubmit={async () => {
            await guildhall.delete('/api/organizations/{org_id}/teams/{team_id}', {
              org_id,
              team_id,
            });
            await navigate({ to: '/workspaces/$org/teams', params: { org: org_id } });
            // The page of the team may still be there for a moment, and would read it again.
            queries.removeQueries({ queryKey: teamQuery(org_id, team_id).queryKey });
            await changed();
          }}
        >
          <p>Its members stay in the workspace, but lose what they could open through the team.</p>
        </ConfirmByName>
      )}
    </>
  );
}
