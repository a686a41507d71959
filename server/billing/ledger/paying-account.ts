import { type Sql, sql } from '../../db/sql.ts';

/**
 * SQL: the account of the workspace or person that a project belongs to, as who pays for work has it:
 * while billing is off, each has enough. `p` is the project.
 */
export const account: Sql = sql`
  select a.* from paying_account a
   where a.organization_id = p.organization_id and a.status <> 'closed'
  union all
  select a.* from paying_account a where a.user_id = p.owner_user_id`;
