import Type from 'typebox';
import { lockedSelf, ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/errors.ts';
import { uuid } from '../../../http/input/fields.ts';
import { type Listed, listed, page } from '../../../http/list.ts';
import { resource } from '../../../http/resource.ts';
import { ids, route } from '../../../http/route.ts';
import { timestamp } from '../../../http/timestamps.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import { lastWayToSignIn, waysToSignIn } from '../ways-to-sign-in.ts';

/** An account elsewhere, from a row `t` of `identity`. */
const identity = resource('Identity', {
  id: [uuid(), sql`t.id`, '7a8b9cad-be0f-4112-9334-455667788990'],
  provider: [
    Type.String({ description: 'The id of the provider; it may be gone since.' }),
    sql`t.provider`,
    'github',
  ],
  email: [
    Type.Optional(Type.String({ description: 'The address there, at the last sign-in.' })),
    sql`t.email`,
    'ada@example.com',
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  last_used_at: [Type.Optional(timestamp()), sql`t.last_used_at`, '2026-11-22T17:02:11.480Z'],
});

/** The accounts elsewhere with which the caller signs in. */
export const listIdentities = route({
  method: 'GET',
  path: '/auth/identities',
  area: 'Sign-in',
  operationId: 'list_identities',
  summary: 'List linked accounts',
  description: 'The accounts elsewhere with which you sign in, latest first.',
  credential: 'session',
  access: ownSession,
  responses: { 200: identity.listed('Latest first.') },
  errors: [],
  handle: ({ url, statement }) =>
    statement<Listed>({ select: listed(identities, {}) }, page(url, undefined)),
});

const identities = {
  json: identity.json,
  rows: sql`from authorized join identity t using (user_id)`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
} as const;

/** Removes one of them. */
export const deleteIdentity = route({
  method: 'DELETE',
  path: '/auth/identities/{identity_id}',
  area: 'Sign-in',
  operationId: 'delete_identity',
  summary: 'Unlink an account',
  description: 'The account elsewhere no longer signs you in.',
  credential: 'proven-session',
  access: lockedSelf,
  params: ids('identity_id'),
  responses: { 204: { description: 'The account is unlinked.' } },
  errors: [notFound, lastWayToSignIn],
  handle: ({ params: { identity_id }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const [removed] = await tx.many(sql`
        with ${actor(caller)},
        removed as (
          delete from identity where id = ${identity_id} and user_id = ${caller.userId}
          returning id, provider, email),
        audited as (${auditRow({
          action: 'identity.delete',
          requestId,
          target: sql`removed.id`,
          organization: sql`null::uuid`,
          before: sql`jsonb_build_object('provider', removed.provider, 'email', removed.email)`,
          after: sql`null`,
          from: sql`removed`,
        })})
        select id from removed`);
      if (removed === undefined) throw notFound();
      if ((await waysToSignIn(tx, caller.userId)) === 0) throw lastWayToSignIn();
      return { status: 204 };
    }),
});
