import Type from 'typebox';
import { sql } from '../db/sql.ts';
import { email, uuid } from '../http/input/fields.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

/** A person, from a row `u` of `app_user`, as operators see them: nothing of what they work on. */
export const account = resource('OperatedUser', {
  id: [uuid(), sql`u.id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  email: [email(), sql`u.email`, 'ada@example.com'],
  name: [Type.Optional(Type.String()), sql`u.name`, 'Ada Byron'],
  is_active: [Type.Boolean(), sql`u.is_active`, true],
  two_factor_enabled: [Type.Boolean(), sql`u.two_factor`, true],
  is_operator: [Type.Boolean(), sql`exists (select from operator o where o.user_id = u.id)`, false],
  owned_workspaces: [
    Type.Integer({ description: 'How many workspaces they own.' }),
    sql`(select count(*) from organization o where o.owner_user_id = u.id)`,
    1,
  ],
  last_seen_at: [
    Type.Optional(timestamp({ description: 'Written now and then, so a little late.' })),
    sql`greatest((select max(s.last_seen_at) from session s where s.user_id = u.id),
                 (select max(k.last_used_at) from api_key k where k.user_id = u.id))`,
    '2026-11-21T08:15:30.123Z',
  ],
  created_at: [timestamp(), sql`u.created_at`, '2026-11-21T08:15:30.123Z'],
});
