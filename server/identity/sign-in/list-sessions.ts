import Type from 'typebox';
import { ownSession } from '../../access/session.ts';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { resource } from '../../http/resource.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';

/** A row `s` of `session`, seen through the session of `authorized`. */
const session = resource('OpenSession', {
  id: [uuid(), sql`s.id`, '6f1e2d3c-4b5a-4968-8776-655443322110'],
  created_at: [timestamp(), sql`s.created_at`, '2026-11-21T08:15:30.123Z'],
  last_seen_at: [Type.Optional(timestamp()), sql`s.last_seen_at`, '2026-11-22T17:02:11.480Z'],
  user_agent: [
    Type.Optional(Type.String({ description: 'What the browser called itself at sign-in.' })),
    sql`s.user_agent`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0',
  ],
  network: [
    Type.Optional(Type.String({ description: 'The address, or the /64 network, of the sign-in.' })),
    sql`s.network`,
    '203.0.113.7',
  ],
  current: [
    Type.Boolean({ description: 'Whether this request came through it.' }),
    sql`s.id = authorized.session_id`,
    true,
  ],
});

/** The open sessions of the caller, latest first: where they are signed in. */
export const listSessions = route({
  method: 'GET',
  path: '/auth/sessions',
  area: 'Sign-in',
  operationId: 'list_sessions',
  summary: 'List sessions',
  description: 'Where you are signed in, latest sign-in first.',
  credential: 'session',
  access: ownSession,
  responses: { 200: session.listed('Latest first.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(sessions, {}) }, page(url, undefined)),
});

const sessions = {
  json: session.json,
  rows: sql`
    from authorized join session s using (user_id)
     where s.ended_at is null and s.expires_at > now() and not s.pending`,
  order: [
    { by: sql`s.created_at`, type: 'timestamptz' },
    { by: sql`s.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
