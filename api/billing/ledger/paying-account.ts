import { type Sql, sql } from '../../db/sql.ts';

/** SQL: the account of the workspace or person that a project belongs to. `p` is the project. */
export const account: Sql = sql`
  select a.* from billing_account a
   where a.organization_id = p.organization_id and a.status <> 'closed'
  union all
  select a.* from billing_account a where a.user_id = p.owner_user_id`;
