import { ownerMakesAdmins } from '../../access/given-role.ts';
import { onDeletedServiceAccount, onServiceAccount } from '../../access/service-account.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { endMembership } from '../members/end-membership.ts';

/** Deletes a service account: its keys open nothing more. */
export const deleteServiceAccount = route({
  method: 'DELETE',
  path: '/api/service-accounts/{service_account_id}',
  area: 'Members & Invitations',
  operationId: 'delete_service_account',
  summary: 'Delete a service account',
  description:
    'Ends the service account with its keys, roles and teams, at once and for good; ' +
    '`remove_member` does the same. What it has done keeps its name, and its routines are paused ' +
    'when they would begin. People who are owner or admins of its workspace only; if the owner ' +
    'does not let admins manage admins, only the owner deletes one that is an admin.',
  access: onServiceAccount('manage_service_accounts'),
  replayAccess: onDeletedServiceAccount('manage_service_accounts'),
  params: ids('service_account_id'),
  responses: { 204: { description: 'The service account was deleted.' } },
  errors: [ownerMakesAdmins],
  handle: ({ params: { service_account_id: id }, requestId, transaction }) =>
    transaction(async (tx, { organization_id, manages_admins, userId, keyId, sessionId }) => {
      const current = await tx.maybeOne<{ acts_as: string }>(sql`
        select r.acts_as from membership m join role r on r.id = m.role_id
         where m.organization_id = ${organization_id} and m.user_id = ${id}`);
      if (current === undefined) throw notFound();
      if (current.acts_as === 'admin' && !manages_admins) throw ownerMakesAdmins();
      const caller = { userId, keyId, sessionId };
      await endMembership(tx, { organizationId: organization_id, userId: id, caller, requestId });
      return { status: 204 };
    }),
});
