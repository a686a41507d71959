import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { email, object } from '../../http/input/fields.ts';
import { publicRoute } from '../../http/public-route.ts';
import { setSessionCookie } from '../../http/session-cookie.ts';
import { accountKey } from './account-key.ts';
import { signInBusy } from './hashing-queue.ts';
import { anyPassword } from './password-strength.ts';
import { beginSession } from './session.ts';
import { signedInAnswer, signedInBody } from './signed-in.ts';
import type { SigningIn } from './signing-in.ts';

const wrongCredentials = apiError(
  401,
  'wrong_credentials',
  'The address and the password do not belong together: check both, or set a new password by mail',
  { 'www-authenticate': 'Bearer' },
);

/**
 * Signs in with a password. An address without a user, one without a password, a wrong password and
 * a user who is deactivated get one answer, which takes the same time.
 */
export const signIn = ({ db, publicUrl, passwords, outcomes }: SigningIn) =>
  publicRoute({
    method: 'POST',
    path: '/auth/sign-in',
    area: 'Sign-in',
    operationId: 'sign_in',
    summary: 'Sign in with a password',
    description:
      'Begins a session. If the person has a second factor, the session is pending until they give ' +
      'it. Attempts are counted by network, and by address.',
    limit: 'signIn',
    admit: passwords.requirePlace,
    body: object({ email: email(), password: anyPassword() }),
    sample: () => ({ body: { email: 'ada@example.com', password: 'vexing-lamp-otter-41' } }),
    responses: { 200: signedInAnswer },
    errors: [wrongCredentials, signInBusy],
    handle: async ({ body, take, giveBack, ...request }) => {
      const account = accountKey(body.email);
      const here = `${account}:${request.network}`;
      await take('password', here);
      const [person] = await db.read<Person>(personOf(body.email, request.network));
      // Otherwise, whoever tries the passwords of a person could lock them out everywhere.
      if (!person?.network_is_known) await take('passwordAnywhere', account);
      const { right, outdated } = await passwords.verify(body.password, person?.phc ?? undefined);
      if (person === undefined || !right) {
        outcomes.refused('password', 'wrong_credentials', { userId: person?.id, ...request });
        throw wrongCredentials();
      }
      // Before the session begins: it may be refused too.
      const renewed = outdated ? await passwords.hash(body.password) : undefined;
      const pending = person.two_factor;
      const session = await beginSession(db, person.id, { by: 'password', pending, request });
      if (session === undefined) throw wrongCredentials();
      await giveBack('password', here);
      if (!person.network_is_known) await giveBack('passwordAnywhere', account);
      if (renewed !== undefined) await renew(db, person, renewed);
      outcomes.done('password', pending);
      return {
        status: 200,
        body: await signedInBody(db, { userId: person.id, pending }),
        cookies: [setSessionCookie(publicUrl, session.token)],
      };
    },
  });

interface Person {
  id: string;
  phc: string | null;
  two_factor: boolean;
  /** Whether they have signed in from this network before. */
  network_is_known: boolean;
}

const personOf = (address: string, network: string) => sql`
  select u.id, p.phc, u.two_factor,
         exists (select from session s
                  where s.user_id = u.id and s.network = ${network} and not s.pending
                    and s.created_at > now() - interval '90 days') as network_is_known
    from app_user u left join password p on p.user_id = u.id
   where mailbox(u.email) = mailbox(${address}) and u.is_active`;

/** Replaces a hash of other parameters, unless the password was changed meanwhile. */
const renew = (db: Pick<Database, 'many'>, { id, phc }: Person, renewed: string) =>
  db.many(sql`update password set phc = ${renewed} where user_id = ${id} and phc = ${phc}`);
