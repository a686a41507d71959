import { onRole } from '../../access/role.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { held, role } from './role.ts';

/** One role of a workspace, built-in or custom. */
export const getRole = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/roles/{role_id}',
  area: 'Members & Invitations',
  operationId: 'get_role',
  summary: 'Get a role',
  description: 'A built-in role, or a custom role of the workspace, for every member.',
  access: onRole('see_workspace'),
  params: ids('org_id', 'role_id'),
  responses: { 200: role.shown('The role.') },
  errors: [],
  handle: ({ statement }) =>
    statement<Shown>(
      {
        with: held,
        select: sql`
          select ${role.columns}
            from authorized
            join role t on t.id = authorized.role_id
            left join held on held.role_id = t.id`,
      },
      (row) => shownAs(200, row),
    ),
});
