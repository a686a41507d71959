import Type from 'typebox';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { email, uuid } from '../../http/input/fields.ts';
import { publicRoute } from '../../http/public-route.ts';
import { PROOF_MINUTES, sessionHash } from '../../http/session-cookie.ts';
import { timestamp } from '../../http/timestamps.ts';
import { type SecondFactor, secondFactorsOf } from './second-factors.ts';
import { type SignInOffer, secondFactor, signInOffer } from './sign-in-offer.ts';

/** What the page asks first: who is signed in, and if no one is, how to sign in. Never a 401. */
export const getSession = ({
  db,
  offer,
  publicUrl,
}: {
  db: Pick<Database, 'read'>;
  offer: SignInOffer;
  publicUrl: string;
}) =>
  publicRoute({
    method: 'GET',
    path: '/auth/session',
    area: 'Sign-in',
    operationId: 'get_session',
    summary: 'Get the session',
    description:
      'Who is signed in with this browser, and how one may sign in. Without a session, or with one ' +
      'that has ended, `signed_in` is false.',
    responses: { 200: { description: 'The session.', schema: shown, example: EXAMPLE } },
    errors: [],
    handle: async ({ headers, network, take }) => {
      const tokenHash = sessionHash(headers, publicUrl);
      const [session] = tokenHash === undefined ? [] : await db.read<Session>(sessionOf(tokenHash));
      // A token that opens nothing may be one that is being guessed.
      if (tokenHash !== undefined && session === undefined) await take('failedAuth', network);
      if (session === undefined) return { status: 200, body: { signed_in: false, sign_in: offer } };
      const { id, email, name, pending, second_factors, proven_until, missing } = session;
      const operator = session.operator && !pending;
      return {
        status: 200,
        body: {
          signed_in: true,
          pending,
          ...(pending ? { second_factors } : {}),
          user: { id, email, ...(name === null ? {} : { name }), ...(operator && { operator }) },
          ...(missing === null || pending ? {} : { missing }),
          ...(proven_until === null ? {} : { proven_until: proven_until.toISOString() }),
          sign_in: offer,
        },
      };
    },
  });

interface Session {
  id: string;
  email: string;
  name: string | null;
  pending: boolean;
  second_factors: SecondFactor[];
  proven_until: Date | null;
  missing: 'password' | 'second_factor' | null;
  operator: boolean;
}

const sessionOf = (tokenHash: Buffer) => sql`
  select u.id, u.email, u.name, s.pending, ${secondFactorsOf(sql`u.id`)} as second_factors,
         case when s.proven_at > now() - make_interval(mins => ${PROOF_MINUTES})
              then s.proven_at + make_interval(mins => ${PROOF_MINUTES}) end as proven_until,
         case when not exists (select from password p where p.user_id = u.id)
                   and not exists (select from identity i where i.user_id = u.id)
                   and not exists (select from passkey k where k.user_id = u.id) then 'password'
              when u.two_factor and not has_second_factor(u.id) then 'second_factor' end as missing,
         exists (select from operator o where o.user_id = u.id) as operator
    from session s join app_user u on u.id = s.user_id
   where s.token_hash = ${tokenHash} and s.ended_at is null and s.expires_at > now()
     and u.is_active`;

const shown = Type.Object(
  {
    signed_in: Type.Boolean(),
    pending: Type.Optional(
      Type.Boolean({ description: 'Whether the second factor is still missing.' }),
    ),
    second_factors: Type.Optional(
      Type.Array(secondFactor, { description: 'What the second factor may be.' }),
    ),
    user: Type.Optional(
      Type.Object({
        id: uuid(),
        email: email(),
        name: Type.Optional(Type.String()),
        operator: Type.Optional(
          Type.Boolean({ description: 'Whether they operate this server; left out otherwise.' }),
        ),
      }),
    ),
    proven_until: Type.Optional(
      timestamp({ description: 'Until when dangerous operations need no further proof.' }),
    ),
    missing: Type.Optional(
      Type.Enum(['password', 'second_factor'], {
        description:
          'What the person lacks to sign in without a link: any other way, or, if they were ' +
          'imported with a second factor that is not known here, one that is.',
      }),
    ),
    sign_in: signInOffer,
  },
  { $id: 'Session' },
);

const EXAMPLE = {
  signed_in: true,
  pending: false,
  user: { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', email: 'ada@example.com', name: 'Ada Byron' },
  proven_until: '2026-11-21T08:25:30.123Z',
  sign_in: { sign_up: 'invited', providers: [], passkeys: true, mail: true },
};
