import Type from 'typebox';
import { ownSession } from '../../access/session.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { auditEnd } from './sign-out.ts';

/** Ends all sessions of the caller but the one through which they call. */
export const endOtherSessions = route({
  method: 'POST',
  path: '/auth/sessions/end-others',
  area: 'Sign-in',
  operationId: 'end_other_sessions',
  summary: 'End all other sessions',
  description: 'Signs you out of every other browser, from its next request on.',
  credential: 'session',
  access: ownSession,
  responses: {
    200: {
      description: 'How many sessions have ended.',
      schema: Type.Object({ ended: Type.Integer() }, { $id: 'SessionsEnded' }),
      example: { ended: 2 },
    },
  },
  errors: [],
  handle: ({ requestId, statement }) =>
    statement<{ ended: number }>(
      {
        with: sql`
          ended as (${endSessions(sql`authorized`)}),
          audited as (${auditEnd(requestId)})`,
        select: sql`select (select count(*) from ended)::int as ended from authorized`,
      },
      ({ ended }) => ({ status: 200, body: { ended } }),
    ),
});

/** Ends the sessions of `user_id` but `session_id`, two columns of `from`, and returns their ids. */
const endSessions = (from: Sql): Sql => sql`
  update session s set ended_at = clock_timestamp()
    from ${from} f
   where s.user_id = f.user_id and s.id <> f.session_id and s.ended_at is null
  returning s.id`;
