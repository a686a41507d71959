import type { WorldIds } from '../cli/world/load.ts';
import type { DemoClient } from './client.ts';

/** A person of the demo, and the key that is used for them. */
export interface Person {
  name: string;
  key: string;
}

/** Ids of what was built. */
export interface Tenant {
  workspace: string;
  project: string;
}

/**
 * A tenant from nothing: a workspace, a team, an accepted invitation, a project, the audit trail.
 */
export async function buildTenant(
  client: DemoClient,
  { ada, carol }: { ada: Person; carol: Person },
  ids: WorldIds,
): Promise<Tenant> {
  const workspace = await client.send({
    title: 'Create a workspace; whoever creates it owns it',
    as: ada,
    method: 'POST',
    path: '/api/organizations',
    body: { name: 'Northwind', color: '#0F766E' },
    promised: { status: 201, body: { name: 'Northwind', is_owner: true, member_count: 1 } },
  });
  const path = `/api/organizations/${workspace.id}`;
  const team = await client.send({
    title: 'Create a team whose members may create projects',
    as: ada,
    method: 'POST',
    path: `${path}/teams`,
    body: { name: 'Builders', can_create_projects: true, add_to_new_projects: true },
    promised: { status: 201, body: { name: 'Builders', member_count: 0 } },
  });
  const invitation = await client.send({
    title: 'Invite someone into the workspace and the team; a mail is sent',
    as: ada,
    method: 'POST',
    path: `${path}/invitations`,
    body: { email: 'carol@example.com', role: 'member', team_ids: [team.id] },
    promised: { status: 201, body: { email: 'carol@example.com', status: 'pending' } },
  });
  await client.send({
    title: 'See the invitations to oneself',
    as: carol,
    method: 'GET',
    path: '/api/invitations',
    promised: { status: 200, body: [{ id: invitation.id, organization_name: 'Northwind' }] },
  });
  await client.send({
    title: 'Accept it',
    as: carol,
    method: 'POST',
    path: `/api/invitations/${invitation.id}/accept`,
    body: {},
    promised: { status: 200, body: { organization_id: workspace.id, role: 'member' } },
  });
  const project = await client.send({
    title: 'Create a project, which a member of that team may do; the team joins it',
    as: carol,
    method: 'POST',
    path: '/api/projects',
    body: {
      name: 'Storefront',
      organization_id: workspace.id,
      erp_version: '19.0',
      erp_edition: 'community',
    },
    promised: { status: 201, body: { name: 'Storefront', organization_id: workspace.id } },
  });
  await client.send({
    title: 'List the members, with their roles and teams',
    as: carol,
    method: 'GET',
    path: `${path}/members`,
    promised: {
      status: 200,
      body: [
        { user_id: ids.users.ada?.id, is_owner: true, role: 'owner' },
        { user_id: ids.users.carol?.id, role: 'member', teams: [{ name: 'Builders' }] },
      ],
    },
  });
  await client.send({
    title: 'Read what happened in the audit trail, newest first',
    as: ada,
    method: 'GET',
    path: `${path}/audit-events?limit=3`,
    promised: {
      status: 200,
      body: [
        { action: 'project.create' },
        { action: 'invitation.accept' },
        { action: 'invitation.create' },
      ],
    },
  });
  return { workspace: workspace.id, project: project.id };
}
