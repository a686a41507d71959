import { onSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditEnd } from './sign-out.ts';

/** Ends one session of the caller, such as that of a browser they no longer have. */
export const endSession = route({
  method: 'DELETE',
  path: '/auth/sessions/{session_id}',
  area: 'Sign-in',
  operationId: 'end_session',
  summary: 'End a session',
  description: 'Signs you out of one browser, from its next request on.',
  credential: 'session',
  access: onSession,
  params: ids('session_id'),
  responses: { 204: { description: 'The session has ended.' } },
  errors: [notFound],
  handle: ({ requestId, statement }) =>
    statement<{ ended: boolean }>(
      {
        with: sql`
          ended as (
            update session s set ended_at = clock_timestamp()
              from authorized where s.id = authorized.session_id and s.ended_at is null
            returning s.id),
          audited as (${auditEnd(requestId)})`,
        select: sql`select exists (select from ended) as ended from authorized`,
      },
      ({ ended }) => {
        if (!ended) throw notFound();
        return { status: 204 };
      },
    ),
});
