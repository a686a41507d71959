import Type from 'typebox';
import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { uuid } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { timestamp, timestampSql } from '../../../http/timestamps.ts';

/** What the caller signs in with. */
export const getFactors = route({
  method: 'GET',
  path: '/auth/factors',
  area: 'Sign-in',
  operationId: 'get_factors',
  summary: 'Get what you sign in with',
  description: 'Your password, authenticator app, recovery codes and passkeys, but no secret.',
  credential: 'session',
  access: ownSession,
  responses: {
    200: {
      description: 'The factors.',
      schema: Type.Object(
        {
          password: Type.Boolean(),
          totp: Type.Boolean(),
          recovery_codes_left: Type.Integer(),
          passkeys: Type.Array(
            Type.Object({
              id: uuid(),
              name: Type.String(),
              created_at: timestamp(),
              last_used_at: Type.Optional(timestamp()),
            }),
          ),
        },
        { $id: 'Factors' },
      ),
      example: { password: true, totp: true, recovery_codes_left: 9, passkeys: [] },
    },
  },
  errors: [],
  handle: ({ statement }) =>
    statement<{ factors: object }>({ select: factors }, ({ factors }) => ({
      status: 200,
      body: factors,
    })),
});

const factors = sql`
  select jsonb_build_object(
           'password', exists (select from password p where p.user_id = a.user_id),
           'totp', exists (select from totp t
                            where t.user_id = a.user_id and t.confirmed_at is not null),
           'recovery_codes_left', (select count(*) from recovery_code c
                                    where c.user_id = a.user_id and c.used_at is null),
           'passkeys', coalesce((
             select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                      'id', k.id, 'name', k.name,
                      'created_at', ${timestampSql(sql`k.created_at`)},
                      'last_used_at', ${timestampSql(sql`k.last_used_at`)}))
                      order by k.created_at, k.id)
               from passkey k where k.user_id = a.user_id), '[]')) as factors
    from authorized a`;
