import { onServiceAccount } from '../../../access/service-account.ts';
import { sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/errors.ts';
import { ids, route } from '../../../http/route.ts';
import { auditRow } from '../../../platform/audit/audit.ts';

/** Revokes an API key of a service account. */
export const revokeServiceAccountKey = route({
  method: 'DELETE',
  path: '/auth/service-accounts/{service_account_id}/keys/{key_id}',
  area: 'Sign-in',
  operationId: 'revoke_service_account_key',
  summary: 'Revoke an API key of a service account',
  description:
    'The key opens nothing from its next request on. The owner and admins of its workspace only.',
  credential: 'session',
  access: onServiceAccount('manage_service_accounts'),
  params: ids('service_account_id', 'key_id'),
  responses: { 204: { description: 'The key is revoked.' } },
  errors: [notFound],
  handle: ({ params, requestId, statement }) =>
    statement<{ revoked: boolean }>(
      {
        with: sql`
          revoked as (
            update api_key k set revoked_at = clock_timestamp()
              from authorized
             where k.id = ${params.key_id} and k.user_id = authorized.service_account_id
               and k.revoked_at is null
            returning k.user_id, k.organization_id, k.name),
          audited as (${auditRow({
            action: 'service_account.revoke_key',
            requestId,
            target: sql`revoked.user_id`,
            organization: sql`revoked.organization_id`,
            before: sql`jsonb_build_object('name', revoked.name)`,
            after: sql`null`,
            from: sql`revoked`,
          })})`,
        select: sql`select exists (select from revoked) as revoked from authorized`,
      },
      ({ revoked }) => {
        if (!revoked) throw notFound();
        return { status: 204 };
      },
    ),
});
