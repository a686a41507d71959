import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, lockedRow, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { apiError, notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { audited } from '../../platform/audit/audit.ts';
import { asSeenByCaller, needsTwoFactor, workspace, workspaceChanged } from './workspace.ts';

const ownerDecides = apiError(
  403,
  'owner_decides',
  'Only the owner may change admins_manage_admins: omit it, or ask the owner to change it',
);

/** Changes a workspace's name, look and rules; a field left out keeps its value (ruling 4). */
export const updateWorkspace = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}',
  area: 'Workspaces',
  operationId: 'update_workspace',
  summary: 'Update a workspace',
  description:
    'Changes the name, look and rules of the workspace. Owners and admins only. A field that ' +
    'is omitted keeps its value; `null` removes the colour or the icon; `{}` changes nothing. ' +
    '`require_2fa: true` takes effect at once: members without two-factor authentication stay ' +
    'members but cannot act in the workspace until they enable it. Only the owner may change ' +
    '`admins_manage_admins`. Send the `ETag` of the workspace you have read as `If-Match` to ' +
    'avoid overwriting a later change.',
  access: onWorkspace('update_workspace'),
  params: ids('org_id'),
  body: workspace.changes,
  sample: () => ({ body: { name: 'Acme Ltd', color: '#22AA66', icon: null } }),
  responses: { 200: workspace.shown('The current workspace.') },
  headers: { 'If-Match': 'The ETag of the workspace that you have read.' },
  errors: [ownerDecides, workspaceChanged, needsTwoFactor],
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean | null; refusal: string | null }>(
      {
        with: sql`
          ${lockedRow(sql`organization`, sql`organization_id`, headers['if-match'])},
          wanted as (select ${withChanges(sql`row`, body)} as row from current),
          verdict as (
            select case when (wanted.row).admins_manage_admins <> (current.row).admins_manage_admins
                             and (current.row).owner_user_id <> caller.user_id then 'owner_decides'
                        when (wanted.row).require_2fa and not (current.row).require_2fa
                             and not caller.two_factor then 'two_factor_required' end as refusal
              from current cross join wanted cross join caller),
          changed as (
            update organization t
               set name = (wanted.row).name,
                   color = (wanted.row).color,
                   icon = (wanted.row).icon,
                   require_2fa = (wanted.row).require_2fa,
                   admins_manage_admins = (wanted.row).admins_manage_admins,
                   updated_at = ${changedAt(sql`(current.row).updated_at`)}
              from wanted, current, verdict
             where t.id = (wanted.row).id and current.expected and verdict.refusal is null
               and wanted.row is distinct from current.row
            returning t as row),
          audited as (${audited('workspace.update', requestId, workspace, sql`current`)})`,
        select: sql`
          select current.expected, verdict.refusal, ${workspace.columns}
            from current
            cross join verdict
            left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t
            ${asSeenByCaller}`,
      },
      ({ expected, refusal, ...row }) => {
        if (expected === null) throw notFound();
        if (!expected) throw workspaceChanged();
        if (refusal === 'owner_decides') throw ownerDecides();
        if (refusal === 'two_factor_required') throw needsTwoFactor();
        return shownAs(200, row);
      },
    ),
});
