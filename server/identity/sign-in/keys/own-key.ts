import Type from 'typebox';
import { sql } from '../../../db/sql.ts';
import { uuid } from '../../../http/input/fields.ts';
import { name } from '../../../http/input/names.ts';
import { resource } from '../../../http/resource.ts';
import { timestamp } from '../../../http/timestamps.ts';

/** An API key of the caller, from a row `t` of `api_key`. The key itself is not stored. */
export const ownKey = resource('ApiKey', {
  id: [uuid(), sql`t.id`, '3d5c7b9a-1e2f-4a3b-8c4d-5e6f70819203'],
  name: [
    name({ maxLength: 100, description: 'What it is for.' }),
    sql`t.name`,
    'CI of the shop',
    'writable',
  ],
  read_only: [Type.Boolean({ description: 'Whether it can only read.' }), sql`t.read_only`, true],
  organization_id: [
    Type.Optional(uuid({ description: 'The only workspace that it opens; absent for all.' })),
    sql`t.organization_id`,
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  expires_at: [
    Type.Optional(timestamp({ description: 'From then on it opens nothing.' })),
    sql`t.expires_at`,
    '2027-11-21T08:15:30.123Z',
  ],
  last_used_at: [
    Type.Optional(timestamp({ description: 'Written every few seconds, so a little late.' })),
    sql`t.last_used_at`,
    '2026-11-22T17:02:11.480Z',
  ],
});
