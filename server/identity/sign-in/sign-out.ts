import { ownSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { setSessionCookie } from '../../http/session-cookie.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/** Ends the session of this browser, also one whose second factor is missing. */
export const signOut = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'POST',
    path: '/auth/sign-out',
    area: 'Sign-in',
    operationId: 'sign_out',
    summary: 'Sign out',
    description: 'Ends the session of this browser, and removes its cookie.',
    credential: 'pending-session',
    access: ownSession,
    responses: { 204: { description: 'The session has ended.' } },
    errors: [],
    handle: ({ requestId, statement }) =>
      statement(
        {
          with: sql`
            ended as (
              update session s set ended_at = clock_timestamp()
                from authorized where s.id = authorized.session_id and s.ended_at is null
              returning s.id),
            audited as (${auditEnd(requestId)})`,
          select: sql`select from authorized`,
        },
        () => ({ status: 204, cookies: [setSessionCookie(publicUrl, '')] }),
      ),
  });

/** The audit row of each session in `ended`, a common table expression. */
export const auditEnd = (requestId: string) =>
  auditRow({
    action: 'session.end',
    requestId,
    target: sql`ended.id`,
    organization: sql`null::uuid`,
    before: sql`null`,
    after: sql`null`,
    from: sql`ended`,
  });
