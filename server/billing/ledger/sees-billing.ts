import { rolesThatMay } from '../../access/roles.ts';
import { sql } from '../../db/sql.ts';

/**
 * SQL: whether a person `u` sees the billing of an account `a`: its person, or a member of its workspace
 * whose role may, and who meets its demand for a second factor.
 */
export const seesBilling = sql`
  u.is_active
  and (u.id = a.user_id
    or u.id in (
      select m.user_id
        from organization o
        join membership m on m.organization_id = o.id
        join role r on r.id = m.role_id
       where o.id = a.organization_id
         and case when m.user_id = o.owner_user_id then 'owner' else r.acts_as end
             = any(${rolesThatMay('see_billing')}::text[])
         and (u.two_factor or not o.require_2fa)))`;
