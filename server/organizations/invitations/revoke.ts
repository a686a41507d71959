import { sql } from '../../db/sql.ts';
import { changedAt, lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import type { Answer, Context } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/**
 * Revokes the open invitation that the access row names, to a workspace or to a project. Errors:
 * 404 when it was answered or revoked while this waited for its lock.
 */
export const revoke = <Row>({
  requestId,
  statement,
}: Pick<Context<unknown, unknown, unknown, Row>, 'requestId' | 'statement'>): Promise<Answer> =>
  statement<{ revoked: boolean }>(
    {
      with: sql`
        ${lockedRow(sql`invitation`, sql`invitation_id`, undefined)},
        changed as (
          update invitation i
             set status = 'revoked', updated_at = ${changedAt(sql`i.updated_at`)}
            from current
           where i.id = (current.row).id and (current.row).status = 'pending'
          returning i as row),
        audited as (${auditRow({
          action: 'invitation.revoke',
          requestId,
          target: sql`(changed.row).id`,
          organization: sql`authorized.organization_id`,
          project: sql`(changed.row).project_id`,
          before: sql`jsonb_build_object('email', (changed.row).email, 'status', 'pending')`,
          after: sql`jsonb_build_object('email', (changed.row).email, 'status', 'revoked')`,
          from: sql`changed cross join authorized`,
        })})`,
      select: sql`select exists (select from changed) as revoked from authorized`,
    },
    ({ revoked }) => {
      if (!revoked) throw notFound();
      return { status: 204 };
    },
  );
