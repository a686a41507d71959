import Type from 'typebox';
import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { boolean } from '../../../http/input/fields.ts';
import { resource } from '../../../http/resource.ts';
import { route } from '../../../http/route.ts';

const push = resource('Push', {
  public_key: [
    Type.Optional(
      Type.String({
        description:
          'With which the browser subscribes, in base64url. Left out before there is one.',
      }),
    ),
    sql`translate(encode(k.public_key, 'base64'), E'+/=\n', '-_')`,
    'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
  ],
  subscribed: [
    boolean({ description: 'Whether the browser of this session is told.' }),
    sql`exists (select from push_subscription s where s.session_id = authorized.session_id)`,
    true,
  ],
});

/** What a browser needs to be told. */
export const getPush = route({
  method: 'GET',
  path: '/auth/push',
  area: 'Sign-in',
  operationId: 'get_push',
  summary: 'Get what a browser needs to be told',
  description: 'The public key of this server, and whether the browser of this session is told.',
  credential: 'session',
  access: ownSession,
  responses: { 200: push.shown('The key.', []) },
  errors: [],
  handle: ({ statement }) =>
    statement<{ item: string }>(
      { select: sql`select ${push.json} as item from authorized left join push_key k on k.one` },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
