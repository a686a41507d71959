import { type Sql, sql } from '../db/sql.ts';

/**
 * The `caller` of a statement that the server runs on behalf of a user, by their rights of now: no
 * row for one who is deactivated. `scope` is the workspace of a service account, or null.
 */
export const onBehalfOf = (userId: string): Sql => sql`caller as materialized (
  select u.id as user_id, null::uuid as key_id, null::uuid as session_id, u.two_factor,
         false as read_only, u.service_of as scope
    from app_user u where u.id = ${userId} and u.is_active)`;
