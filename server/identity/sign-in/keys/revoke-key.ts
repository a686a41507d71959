import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/errors.ts';
import { ids, route } from '../../../http/route.ts';
import { auditRow } from '../../../platform/audit/audit.ts';

/** Revokes an API key of the caller. A stolen key is revoked without asking for a proof. */
export const revokeKey = route({
  method: 'DELETE',
  path: '/auth/keys/{key_id}',
  area: 'Sign-in',
  operationId: 'revoke_key',
  summary: 'Revoke an API key',
  description: 'The key opens nothing from its next request on.',
  credential: 'session',
  access: ownSession,
  params: ids('key_id'),
  responses: { 204: { description: 'The key is revoked.' } },
  errors: [notFound],
  handle: ({ params, requestId, statement }) =>
    statement<{ revoked: boolean }>(
      {
        with: sql`
          revoked as (
            update api_key k set revoked_at = clock_timestamp()
              from authorized
             where k.id = ${params.key_id} and k.user_id = authorized.user_id
               and k.oauth_client_id is null and k.revoked_at is null
            returning k.id, k.name),
          audited as (${auditRow({
            action: 'key.revoke',
            requestId,
            target: sql`revoked.id`,
            organization: sql`null::uuid`,
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
