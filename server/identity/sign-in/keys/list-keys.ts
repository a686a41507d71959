import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { type Listed, listed, page } from '../../../http/list.ts';
import { route } from '../../../http/route.ts';
import { ownKey } from './own-key.ts';

/** The API keys of the caller that were not revoked, expired ones too. */
export const listKeys = route({
  method: 'GET',
  path: '/auth/keys',
  area: 'Sign-in',
  operationId: 'list_keys',
  summary: 'List your API keys',
  description: 'Your API keys, latest first, with those that have expired, without revoked ones.',
  credential: 'session',
  access: ownSession,
  responses: { 200: ownKey.listed('Latest first.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(keys, {}) }, page(url, undefined)),
});

const keys = {
  json: ownKey.json,
  rows: sql`
    from authorized join api_key t using (user_id)
     where t.revoked_at is null and t.oauth_client_id is null`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
