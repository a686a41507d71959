import { onPerson } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { isOwner, personNotFound } from './project-person.ts';

const comesFromWorkspace = apiError(
  409,
  'comes_from_workspace',
  'This person opens the project as a member of its workspace: that ends when they leave it',
);

/**
 * Takes back the role that a person has on the project: an outside collaborator leaves it, a member
 * of its workspace acts with the workspace role again (ruling 8.2).
 */
export const removePerson = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/people/{user_id}',
  area: 'Projects',
  operationId: 'remove_person',
  summary: 'Remove a person from a project',
  description:
    'Takes back the role that was set for the person on this project. An outside collaborator ' +
    'can no longer open it; a member of the workspace acts with the workspace role again. ' +
    'Owners and admins may remove everybody, and everybody may remove themselves.',
  access: onPerson('manage_project_people', 'open_project'),
  auditDenied: { action: 'project_person.remove', target: 'user_id' },
  params: ids('project_id', 'user_id'),
  responses: { 204: { description: 'The role was taken back.' } },
  errors: [personNotFound, isOwner, comesFromWorkspace],
  handle: ({ params: { project_id, user_id }, requestId, transaction }) =>
    transaction(async (tx, person) => {
      if (person.is_owner === null) throw personNotFound();
      if (person.is_owner && !person.is_org_member) throw isOwner();
      if (person.project_role === null) throw comesFromWorkspace();
      await tx.one(sql`
        delete from project_grant where project_id = ${project_id} and user_id = ${user_id}
        returning user_id`);
      await recordChange(tx, {
        caller: person,
        action: 'project_person.remove',
        target: user_id,
        organizationId: person.organization_id,
        projectId: project_id,
        before: { role: person.project_role },
        after: { role: null },
        requestId,
      });
      return { status: 204 };
    }),
});
