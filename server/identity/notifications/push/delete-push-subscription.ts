import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { route } from '../../../http/route.ts';

/** The browser of the session is told no more. */
export const deletePushSubscription = route({
  method: 'DELETE',
  path: '/auth/push',
  area: 'Sign-in',
  operationId: 'delete_push_subscription',
  summary: 'Let a browser be told no more',
  description: 'Changes nothing if the browser of this session is not told.',
  credential: 'session',
  access: ownSession,
  responses: { 204: { description: 'The browser is not told.' } },
  errors: [],
  handle: ({ statement }) =>
    statement<object>(
      {
        with: sql`
          deleted as (
            delete from push_subscription s using authorized
             where s.session_id = authorized.session_id returning s.id)`,
        select: sql`select (select id from deleted) as id from authorized`,
      },
      () => ({ status: 204 }),
    ),
});
