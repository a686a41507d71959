import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

/** A connected application of the caller, from a row `t` of `api_key` and its `c` and `o`. */
export const application = resource('ConnectedApplication', {
  id: [
    uuid({ description: 'That of its key, which the audit trail names.' }),
    sql`t.id`,
    '3d5c7b9a-1e2f-4a3b-8c4d-5e6f70819203',
  ],
  name: [Type.String({ description: 'What it calls itself.' }), sql`t.name`, 'Claude Code'],
  redirect_uri: [
    Type.String({ description: 'Where it was sent its code.' }),
    sql`o.redirect_uri`,
    'http://localhost:53682/callback',
  ],
  read_only: [Type.Boolean({ description: 'Whether it can only read.' }), sql`t.read_only`, true],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-28T08:15:30.123Z'],
  expires_at: [
    timestamp({ description: 'When it ends, unless it is used before.' }),
    sql`o.expires_at`,
    '2026-12-28T08:15:30.123Z',
  ],
  last_used_at: [
    Type.Optional(timestamp({ description: 'Written every few seconds, so a little late.' })),
    sql`t.last_used_at`,
    '2026-11-28T17:02:11.480Z',
  ],
});
