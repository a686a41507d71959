import type pg from 'pg';
import { Unusable } from './unusable.ts';

/**
 * The user who is the administrator of every Odoo signs in as `admin`, whatever the login has become:
 * people and modules change it. Throws Unusable where that user is gone. Returns the user's id.
 */
export async function signsInAsAdmin(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>(`
    select u.id from public.ir_model_data d join public.res_users u on u.id = d.res_id
     where d.module = 'base' and d.name = 'user_admin' and d.model = 'res.users' limit 1`);
  const id = rows[0]?.id;
  if (id === undefined)
    throw new Unusable('The database has no administrator: the user base.user_admin is missing.');
  await client.query(
    `update public.res_users set login = 'admin_' || id where login = 'admin' and id <> $1`,
    [id],
  );
  await client.query(
    `update public.res_users set login = 'admin', active = true
      where id = $1 and (login <> 'admin' or active is distinct from true)`,
    [id],
  );
  return id;
}
