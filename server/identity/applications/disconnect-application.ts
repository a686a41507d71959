import { ownSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/** Removes a connected application of the caller: its key opens nothing, and is not renewed. */
export const disconnectApplication = route({
  method: 'DELETE',
  path: '/auth/applications/{application_id}',
  area: 'Sign-in',
  operationId: 'disconnect_application',
  summary: 'Remove a connected application',
  description: 'The application can do nothing from its next request on. It can ask you again.',
  credential: 'session',
  access: ownSession,
  params: ids('application_id'),
  responses: { 204: { description: 'The application is removed.' } },
  errors: [notFound],
  handle: ({ params, requestId, statement }) =>
    statement<{ ended: boolean }>(
      {
        with: sql`
          ended as (
            update api_key k set revoked_at = clock_timestamp()
              from authorized
             where k.id = ${params.application_id} and k.user_id = authorized.user_id
               and k.oauth_client_id is not null and k.revoked_at is null
            returning k.id, k.name),
          audited as (${auditRow({
            action: 'application.disconnect',
            requestId,
            target: sql`ended.id`,
            organization: sql`null::uuid`,
            before: sql`jsonb_build_object('name', ended.name)`,
            after: sql`null`,
            from: sql`ended`,
          })})`,
        select: sql`select exists (select from ended) as ended from authorized`,
      },
      ({ ended }) => {
        if (!ended) throw notFound();
        return { status: 204 };
      },
    ),
});
