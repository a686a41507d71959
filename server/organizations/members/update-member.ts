import {
  checkGivenRole,
  givenRole,
  ownerMakesAdmins,
  roleFields,
  roleNotFound,
  roleOrRoleId,
} from '../../access/given-role.ts';
import { onMember } from '../../access/membership.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, revision, type Shown, shownAs } from '../../http/change.ts';
import { object } from '../../http/input/fields.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { endAutoReload } from './end-membership.ts';
import { isOwner, member, memberChanged, memberJoins } from './member.ts';

/** Gives a member another role in the workspace. */
export const updateMember = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/members/{user_id}',
  area: 'Members & Invitations',
  operationId: 'update_member',
  summary: 'Update a member',
  description:
    'Gives a member another role: send `role` or `role_id`; `{}` changes nothing. Owners and ' +
    'admins only. If the owner does not let admins manage admins (`admins_manage_admins`), an ' +
    'admin can only change their own role and those of members and viewers. Send the `ETag` of ' +
    'an earlier answer as `If-Match` to avoid overwriting a later change.',
  access: onMember('manage_members'),
  params: ids('org_id', 'user_id'),
  body: object(
    { ...member.changes.properties, ...roleFields },
    { not: { properties: { role: {}, role_id: {} }, required: ['role', 'role_id'] } },
  ),
  sample: ({ role_id }) => ({ body: { role_id } }),
  responses: { 200: member.shown('The current member.') },
  headers: { 'If-Match': 'The ETag of the member that you have read.' },
  errors: [roleOrRoleId, roleNotFound, memberChanged, isOwner, ownerMakesAdmins],
  handle: ({ params, body, headers, requestId, transaction }) =>
    transaction(async (tx, { owner_user_id, manages_admins, ...caller }) => {
      const { role, role_id } = body;
      const changes = role !== undefined || role_id !== undefined;
      if (changes) checkGivenRole(body);
      const { given, current } = await circumstances(tx, params, body, headers['if-match']);
      if (!current.expected) throw memberChanged();
      if (changes) {
        if (given === null) throw roleNotFound();
        if (params.user_id === owner_user_id) throw isOwner();
        const isSelf = params.user_id === caller.userId;
        const ofAdmin = [given.acts_as, current.acts_as].includes('admin');
        if (ofAdmin && !isSelf && !manages_admins) throw ownerMakesAdmins();
      }
      if (given === null || given.id === current.role_id)
        return shownAs(200, await show(tx, params));

      const shown = await setRole(tx, params, given.id);
      await recordChange(tx, {
        caller,
        action: 'member.update',
        target: params.user_id,
        organizationId: params.org_id,
        before: { role: current.role, role_id: current.role_id },
        after: { role: given.slug, role_id: given.id },
        requestId,
      });
      if (current.acts_as === 'admin' && given.acts_as !== 'admin')
        await endAutoReload(tx, {
          organizationId: params.org_id,
          userId: params.user_id,
          caller,
          requestId,
        });
      return shownAs(200, shown);
    }),
});

type Place = { org_id: string; user_id: string };

interface Circumstances {
  /** The role that the body names, if it exists. */
  given: { id: string; slug: string; acts_as: string } | null;
  current: { role_id: string; role: string; acts_as: string; expected: boolean };
}

// The role is locked so that it is not deleted before the commit.
const circumstances = (
  tx: Tx,
  { org_id, user_id }: Place,
  wanted: { role?: string; role_id?: string },
  ifMatch: string | undefined,
): Promise<Circumstances> =>
  tx.one(sql`
    with given as materialized (
      select * from (${givenRole('workspace', wanted, sql`${org_id}::uuid`)} for key share of r) r)
    select (select json_build_object('id', id, 'slug', slug, 'acts_as', acts_as)
      from given) as given,
           json_build_object(
             'role_id', r.id, 'role', r.slug, 'acts_as', r.acts_as,
             'expected', ${matches(ifMatch, revision(sql`t.updated_at`))}) as current
      from membership t join role r on r.id = t.role_id
     where t.organization_id = ${org_id} and t.user_id = ${user_id}`);

const setRole = (tx: Tx, { org_id, user_id }: Place, roleId: string): Promise<Shown> =>
  tx.one(sql`
    with t as (
      update membership
         set role_id = ${roleId}, updated_at = ${changedAt(sql`updated_at`)}
       where organization_id = ${org_id} and user_id = ${user_id}
      returning *)
    select ${member.columns} from t ${memberJoins}`);

const show = (tx: Tx, { org_id, user_id }: Place): Promise<Shown> =>
  tx.one(sql`
    select ${member.columns} from membership t ${memberJoins}
     where t.organization_id = ${org_id} and t.user_id = ${user_id}`);
