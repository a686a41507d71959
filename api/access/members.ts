import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/**
 * A member who can act: there, and not deactivated. Undefined for everyone else alike: an unknown id, an invitee, an
 * outside collaborator, a former member. Lock the workspace first (ruling 5.6).
 */
export const activeMember = (
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<{ meets_two_factor_policy: boolean } | undefined> =>
  tx.maybeOne(sql`
    select u.two_factor or not o.require_2fa as meets_two_factor_policy
      from membership m join app_user u on u.id = m.user_id join organization o on o.id = m.organization_id
     where m.organization_id = ${organizationId} and m.user_id = ${userId} and u.is_active`);
