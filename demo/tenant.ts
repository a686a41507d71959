import type { WorldIds } from '../cli/world/load.ts';
import type { Person, Presenter } from './presenter.ts';

/** Ids of what was built. */
export interface Tenant {
  workspace: string;
  project: string;
}

/**
 * A tenant from nothing: a workspace, a team, an accepted invitation, a project, the audit trail.
 */
export async function buildTenant(
  presenter: Presenter,
  { ada, carol }: { ada: Person; carol: Person },
  ids: WorldIds,
): Promise<Tenant> {
  const workspace = await presenter.send({
    title: 'Create a workspace; whoever creates it owns it',
    as: ada,
    call: (guildhall) =>
      guildhall.post('/api/organizations', { body: { name: 'Northwind', color: '#0F766E' } }),
    promised: { status: 201, body: { name: 'Northwind', is_owner: true, member_count: 1 } },
  });
  const org_id = workspace.id;
  const team = await presenter.send({
    title: 'Create a team whose members may create projects',
    as: ada,
    call: (guildhall) =>
      guildhall.post('/api/organizations/{org_id}/teams', {
        org_id,
        body: { name: 'Builders', can_create_projects: true, add_to_new_projects: true },
      }),
    promised: { status: 201, body: { name: 'Builders', member_count: 0 } },
  });
  const invitation = await presenter.send({
    title: 'Invite someone into the workspace and the team; a mail is sent',
    as: ada,
    call: (guildhall) =>
      guildhall.post('/api/organizations/{org_id}/invitations', {
        org_id,
        body: { email: 'carol@example.com', role: 'member', team_ids: [team.id] },
      }),
    promised: { status: 201, body: { email: 'carol@example.com', status: 'pending' } },
  });
  await presenter.send({
    title: 'See the invitations to oneself',
    as: carol,
    call: (guildhall) => guildhall.get('/api/invitations'),
    promised: { status: 200, body: [{ id: invitation.id, organization_name: 'Northwind' }] },
  });
  await presenter.send({
    title: 'Accept it',
    as: carol,
    call: (guildhall) =>
      guildhall.post('/api/invitations/{invitation_id}/accept', {
        invitation_id: invitation.id,
        body: {},
      }),
    promised: { status: 200, body: { organization_id: workspace.id, role: 'member' } },
  });
  const project = await presenter.send({
    title: 'Create a project, which a member of that team may do; the team joins it',
    as: carol,
    call: (guildhall) =>
      guildhall.post('/api/projects', {
        body: {
          name: 'Storefront',
          organization_id: workspace.id,
          erp_version: '19.0',
          erp_edition: 'community',
        },
      }),
    promised: { status: 201, body: { name: 'Storefront', organization_id: workspace.id } },
  });
  await presenter.send({
    title: 'List the members, with their roles and teams',
    as: carol,
    call: (guildhall) => guildhall.get('/api/organizations/{org_id}/members', { org_id }),
    promised: {
      status: 200,
      body: [
        { user_id: ids.users.ada?.id, is_owner: true, role: 'owner' },
        { user_id: ids.users.carol?.id, role: 'member', teams: [{ name: 'Builders' }] },
      ],
    },
  });
  await presenter.send({
    title: 'Read what happened in the audit trail, newest first',
    as: ada,
    call: (guildhall) =>
      guildhall.get('/api/organizations/{org_id}/audit-events', { org_id, limit: 3 }),
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
