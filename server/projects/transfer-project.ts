import { CUSTOM_ROLES } from '../access/built-in-roles.ts';
import { onProjectMove } from '../access/new-project.ts';
import { onProject } from '../access/project.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { changedAt } from '../http/change.ts';
import { fieldError, personalProjectsClosed } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import type { Config } from '../platform/config/config.ts';
import { project } from './project.ts';
import { give, nextOwner, showGiven, tooManyProjects } from './project-owner.ts';

const alreadyOwner = fieldError(
  'already_owner',
  ['body', 'organization_id'],
  'The project belongs to this owner already: choose another one',
);

/**
 * Moves a project between people and workspaces, at once. What its tasks hold stays on the account
 * that reserved it; later work is paid by the next owner.
 */
export const transferProject = ({ creation }: Pick<Config, 'creation'>) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/transfer',
    area: 'Projects',
    operationId: 'transfer_project',
    summary: 'Transfer a project',
    description:
      'Gives the project to the workspace `organization_id`, or without it to the caller. Only ' +
      'the owner of its workspace, or of the personal project, who may also create projects in ' +
      'the other place. Roles that members of its workspace had on it end, and its teams leave ' +
      'it; outside collaborators stay, with a built-in role in place of a custom one. Teams of ' +
      'the other workspace are not added. Money held for running tasks stays with the previous ' +
      'owner.',
    proof: true,
    access: onProjectMove('transfer_project', creation.projects),
    // The previous owner may be just a member of the workspace that has the project now.
    replayAccess: onProject('open_project'),
    auditDenied: { action: 'project.transfer', target: 'project_id' },
    params: ids('project_id'),
    body: nextOwner,
    sample: ({ org_id }) => ({ body: { organization_id: org_id } }),
    responses: { 200: project.shown('The project, with its new owner.') },
    errors: [alreadyOwner, tooManyProjects, personalProjectsClosed],
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, { userId, keyId, sessionId, ...move }) => {
        const { project_id, organization_id, owner_user_id, next } = move;
        if (next.organization_id === organization_id && next.owner_user_id === owner_user_id)
          throw alreadyOwner();
        if (organization_id !== null) await leave(tx, project_id, organization_id);
        await give(tx, move, userId);
        const change = {
          caller: { userId, keyId, sessionId },
          target: project_id,
          before: { organization_id, owner_user_id },
          after: { organization_id: next.organization_id, owner_user_id: next.owner_user_id },
          requestId,
        };
        await recordChange(tx, {
          ...change,
          action: 'project.transfer',
          organizationId: organization_id,
          projectId: project_id,
        });
        // For the trail of the other workspace. Without the project, whose events have it already.
        if (next.organization_id !== null) {
          await recordChange(tx, {
            ...change,
            action: 'project.receive',
            organizationId: next.organization_id,
          });
        }
        return showGiven(tx, move, userId);
      }),
  });

/**
 * Ends what ties a project to its workspace: roles of members, teams, custom roles (ruling 3.5).
 */
async function leave(tx: Tx, projectId: string, organizationId: string): Promise<void> {
  await tx.many(sql`
    delete from project_grant g using membership m
     where g.project_id = ${projectId}
       and m.organization_id = ${organizationId} and m.user_id = g.user_id`);
  await tx.many(sql`delete from team_project where project_id = ${projectId}`);
  await tx.many(sql`
    update project_grant g set role_id = custom.built_in_id
      from ${CUSTOM_ROLES}
     where g.project_id = ${projectId} and g.role_id = custom.id`);
  await tx.many(sql`
    update invitation i
       set role_id = custom.built_in_id, updated_at = ${changedAt(sql`i.updated_at`)}
      from ${CUSTOM_ROLES}
     where i.project_id = ${projectId} and i.role_id = custom.id`);
}
