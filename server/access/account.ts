import { nothing, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

/** Anyone signed in: for what is the caller's own. */
export const signedIn: Access<object, unknown> = {
  sql: () => sql`
    access as materialized (
      select true as found, null::uuid as organization_id, null::text as denied_because
        from caller)`,
};

/** Anyone signed in, as the user whom the request is about. */
export const oneself: Access<object, { user_id: string }> = {
  sql: () => sql`
    access as materialized (
      select true as found, caller.user_id, null::uuid as organization_id,
             null::text as denied_because
        from caller)`,
};

/**
 * Anyone signed in, for what spans workspaces. `organization_id` is the only workspace that the
 * caller's key is valid for, or null: show nothing outside of it.
 */
export const acrossWorkspaces: Access<object, { organization_id: string | null }> = {
  sql: () => sql`
    access as materialized (
      select true as found, caller.scope as organization_id, null::text as denied_because
        from caller)`,
};

/** The caller's own billing account. */
export const ownAccount: Access<object, { account_id: string }> = {
  sql: (_, lock) => sql`
    access as materialized (
      select true as found, a.id as account_id, null::uuid as organization_id,
             null::text as denied_because
        from billing_account a join caller on a.user_id = caller.user_id
       ${lock ? sql`for no key update of a` : nothing})`,
};
