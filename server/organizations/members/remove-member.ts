import { ownerMakesAdmins } from '../../access/given-role.ts';
import { onMember, onRemovedMember } from '../../access/membership.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { revision } from '../../http/change.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { endMembership, receipt } from './end-membership.ts';
import { isOwner, memberChanged } from './member.ts';

/** Removes a member from the workspace; their access ends with their next request. */
export const removeMember = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/members/{user_id}',
  area: 'Members & Invitations',
  operationId: 'remove_member',
  summary: 'Remove a member',
  description:
    'Removes a member from the workspace, its teams and its projects, at once. Owners and ' +
    'admins only; if the owner does not let admins manage admins (`admins_manage_admins`), ' +
    'only the owner removes admins. Running tasks of the person go on, paid by the workspace. ' +
    "If auto-reload charges the person's card, it is switched off.",
  access: onMember('manage_members'),
  replayAccess: onRemovedMember('manage_members'),
  auditDenied: { action: 'member.remove', target: 'user_id' },
  params: ids('org_id', 'user_id'),
  responses: { 200: receipt },
  headers: { 'If-Match': 'The ETag of the member that you have read.' },
  errors: [isOwner, memberChanged, ownerMakesAdmins],
  handle: ({ params: { org_id, user_id }, headers, requestId, transaction }) =>
    transaction(async (tx, { owner_user_id, manages_admins, userId, keyId, sessionId }) => {
      const current = await circumstances(tx, org_id, user_id, headers['if-match']);
      if (!current.expected) throw memberChanged();
      if (user_id === owner_user_id) throw isOwner();
      if (current.acts_as === 'admin' && user_id !== userId && !manages_admins)
        throw ownerMakesAdmins();
      const caller = { userId, keyId, sessionId };
      const who = { organizationId: org_id, userId: user_id };
      return { status: 200, body: await endMembership(tx, { ...who, caller, requestId }) };
    }),
});

const circumstances = (
  tx: Tx,
  organizationId: string,
  userId: string,
  ifMatch: string | undefined,
): Promise<{ acts_as: string; expected: boolean }> =>
  tx.one(sql`
    select r.acts_as, ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from membership t join role r on r.id = t.role_id
     where t.organization_id = ${organizationId} and t.user_id = ${userId}`);
