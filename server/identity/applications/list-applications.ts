import { ownSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { route } from '../../http/route.ts';
import { application } from './application.ts';

/** The applications that the caller has connected, and that can still use it. */
export const listApplications = route({
  method: 'GET',
  path: '/auth/applications',
  area: 'Sign-in',
  operationId: 'list_applications',
  summary: 'List your connected applications',
  description: 'The applications that can act as you through `/mcp`, latest first.',
  credential: 'session',
  access: ownSession,
  responses: { 200: application.listed('Latest first.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(applications, {}) }, page(url, undefined)),
});

const applications = {
  json: application.json,
  rows: sql`
    from authorized join api_key t using (user_id)
    join oauth_connection o on o.key_id = t.id
     where t.revoked_at is null and o.expires_at > now()`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
