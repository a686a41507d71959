import Type from 'typebox';
import { ADMIN, OWNER } from '../../access/built-in-roles.ts';
import { createsWorkspaces } from '../../access/operator.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { workspaceCreationClosed } from '../../http/errors.ts';
import { boolean } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { audited } from '../../platform/audit/audit.ts';
import type { Config } from '../../platform/config/config.ts';
import { needsTwoFactor, workspace } from './workspace.ts';

const { name, color, icon } = workspace.writable;

/** Makes a workspace that the caller owns, with a billing account of its own. */
export const createWorkspace = ({ creation }: Pick<Config, 'creation'>) =>
  route({
    method: 'POST',
    path: '/api/organizations',
    area: 'Workspaces',
    operationId: 'create_workspace',
    summary: 'Create a workspace',
    description:
      'Creates a workspace, which the caller owns. With `require_2fa`, members can only act ' +
      'there with two-factor authentication; the caller needs it too. A key that is limited to ' +
      'one workspace cannot create another. Where `get_config` says so, operators only.',
    access: createsWorkspaces(creation.workspaces),
    body: Type.Object(
      {
        name,
        color: Type.Optional(color),
        icon: Type.Optional(icon),
        require_2fa: boolean({ default: false }),
      },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { name: 'Acme', color: '#3355AA', icon: 'rocket' } }),
    responses: { 201: workspace.shown('The new workspace.', ['ETag', 'Location']) },
    errors: [needsTwoFactor, workspaceCreationClosed],
    handle: ({ body, requestId, statement }) =>
      statement<Shown & { id: string | null }>(
        {
          with: sql`
          changed as (
            insert into organization as t (name, color, icon, require_2fa, owner_user_id)
            select ${body.name}, ${body.color ?? null}, ${body.icon ?? null}, ${body.require_2fa},
                   caller.user_id
              from authorized cross join caller
             where caller.two_factor or not ${body.require_2fa}
            returning t as row),
          member as (
            insert into membership (organization_id, user_id, role_id)
            select (row).id, (row).owner_user_id, ${ADMIN} from changed),
          audited as (${audited('workspace.create', requestId, workspace)})`,
          // What the statement itself inserts, it does not count.
          select: sql`
          select ${workspace.columns}, t.id
            from changed
            cross join lateral (select (changed.row).*) t
            cross join caller
            join role r on r.id = ${OWNER}
            cross join (values (1, 0)) counts (members, projects)`,
        },
        ({ id, ...row }) => {
          if (id === null) throw needsTwoFactor();
          return shownAs(201, row, `/api/organizations/${id}`);
        },
      ),
  });
