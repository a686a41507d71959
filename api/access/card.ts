import { nothing, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

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
