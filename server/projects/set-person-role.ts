import {
  checkGivenRole,
  givenRole,
  roleFields,
  roleNotFound,
  roleOrRoleId,
  roleRequired,
} from '../access/given-role.ts';
import { onPerson } from '../access/project.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { object } from '../http/input/fields.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { isOwner, personNotFound, projectPerson } from './project-person.ts';

/**
 * Sets the role of a person who can already open the project: an override for a member of its
 * workspace, the role of an outside collaborator (ruling 8). One value is set as a whole, so there
 * is no version to send as If-Match.
 */
export const setPersonRole = route({
  method: 'PUT',
  path: '/api/projects/{project_id}/people/{user_id}',
  area: 'Projects',
  operationId: 'set_person_role',
  summary: "Set a person's role on a project",
  description:
    'Sets the role of a person on this project; send `role` or `role_id`. For a member of the ' +
    'workspace it overrides the workspace role, but it never lowers the owner and admins of the ' +
    'workspace. No one is added this way: invite people who cannot open the project yet. Owners ' +
    'and admins only.',
  access: onPerson('manage_project_people'),
  params: ids('project_id', 'user_id'),
  body: object(roleFields, roleRequired),
  sample: () => ({ body: { role: 'viewer' } }),
  responses: { 200: projectPerson.shown('The person, with the role they act with now.', []) },
  errors: [roleOrRoleId, roleNotFound, personNotFound, isOwner],
  handle: ({ params, body, requestId, transaction }) =>
    transaction(async (tx, person) => {
      checkGivenRole(body);
      if (person.is_owner === null) throw personNotFound();
      if (person.is_owner && !person.is_org_member) throw isOwner();
      const after = await setRole(tx, params, body, person.organization_id);
      if (after.role === null) throw roleNotFound();
      if (after.changed) {
        await recordChange(tx, {
          caller: person,
          action: 'project_person.set_role',
          target: params.user_id,
          organizationId: person.organization_id,
          projectId: params.project_id,
          before: { role: person.project_role },
          after: { role: after.role },
          requestId,
        });
      }
      const { item } = await tx.one<{ item: string }>(sql`
        select ${projectPerson.json} as item from project_person p
         where p.project_id = ${params.project_id} and p.user_id = ${params.user_id}`);
      return { status: 200, body: item };
    }),
});

/** `role`: the slug of the role, or null if it does not exist. */
const setRole = (
  tx: Tx,
  { project_id, user_id }: { project_id: string; user_id: string },
  given: { role?: string; role_id?: string },
  organizationId: string | null,
): Promise<{ role: string | null; changed: boolean }> =>
  tx.one(sql`
    with given as (${givenRole('project', given, sql`${organizationId}::uuid`)}),
    changed as (
      insert into project_grant as g (project_id, user_id, role_id)
      select ${project_id}, ${user_id}, given.id from given
      on conflict (project_id, user_id) do update
         set role_id = excluded.role_id
       where g.role_id <> excluded.role_id
      returning role_id)
    select (select slug from given) as role, exists (select from changed) as changed`);
