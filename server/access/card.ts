import { nothing, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import type { Permission } from './roles.ts';
import {
  deniedBecause,
  type InWorkspace,
  lockWorkspace,
  membership,
  type Workspace,
} from './workspace.ts';

/** The caller's own attempt to save a card. */
export const ownCardSetup: Access<{ params: { setup_id: string } }, { setup_id: string }> = {
  sql: ({ params: { setup_id } }, lock) => sql`
    access as materialized (
      select true as found, s.id as setup_id, null::uuid as organization_id,
             case when s.user_id <> caller.user_id then 'forbidden' end as denied_because
        from caller
        cross join (select id, user_id from card_setup where id = ${setup_id}
                    ${lock ? sql`for update` : nothing}) s)`,
};

type OfCard = { params: { payment_method_id: string } };

/** A saved card of the caller's own; one that was removed does not exist. */
export const ownCard: Access<OfCard, { payment_method_id: string }> = {
  sql: ({ params: { payment_method_id } }, lock) => sql`
    access as materialized (
      select true as found, p.id as payment_method_id, null::uuid as organization_id,
             case when p.user_id <> caller.user_id then 'forbidden' end as denied_because
        from caller
        cross join (select id, user_id from payment_method
                     where id = ${payment_method_id} and detached_at is null
                    ${lock ? sql`for update` : nothing}) p)`,
};

/**
 * A workspace, and a saved card of the caller's own; any other card does not exist here. A caller
 * without the permission is refused whatever the card is, and so is a key of another workspace.
 */
export const onWorkspaceOwnCard = (
  permission: Permission,
): Access<InWorkspace & OfCard, Workspace> => ({
  permission,
  locks: ({ params: { org_id } }) => lockWorkspace(org_id),
  sql: ({ params: { org_id, payment_method_id } }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, verdict.denied_because
        from organization o ${membership}
        cross join lateral (select ${deniedBecause(permission)}) verdict
       where o.id = ${org_id}
         and (verdict.denied_because is not null or caller.scope <> o.id
              or exists (select from payment_method p
                          where p.id = ${payment_method_id} and p.user_id = caller.user_id
                            and p.detached_at is null)))`,
});

/** A charge that the caller has asked for, for whichever balance. */
export const ownTopUp: Access<
  { params: { top_up_id: string } },
  { top_up_id: string; organization_id: string | null }
> = {
  sql: ({ params: { top_up_id } }, lock) => sql`
    access as materialized (
      select true as found, t.id as top_up_id, a.organization_id,
             case when t.user_id <> caller.user_id then 'forbidden' end as denied_because
        from caller
        cross join (select id, user_id, account_id from top_up where id = ${top_up_id}
                    ${lock ? sql`for update` : nothing}) t
        join billing_account a on a.id = t.account_id)`,
};
