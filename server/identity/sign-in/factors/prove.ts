import Type from 'typebox';
import { lockedSelf } from '../../../access/session.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { apiError, fieldError } from '../../../http/errors.ts';
import { object } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import { signInBusy } from '../hashing-queue.ts';
import type { Outcomes } from '../outcomes.ts';
import { anyPassword } from '../password-strength.ts';
import type { Passwords } from '../passwords.ts';
import { proven, provenAnswer } from '../proven.ts';
import { replaceToken } from '../session.ts';
import type { Vault } from '../vault.ts';
import { code, useCode, wrongCode } from './use-code.ts';

const wrongPassword = apiError(
  403,
  'wrong_password',
  'This is not your password: try again, or set a new one by a link in your mail',
);
const nothingToProveWith = apiError(
  409,
  'nothing_to_prove_with',
  'You have neither a password nor a second factor: sign in again, by a link or an account ' +
    'elsewhere, and set a password within ten minutes',
);
const passwordMissing = fieldError('missing', ['body', 'password'], 'Field required');
const codeMissing = fieldError('missing', ['body', 'code'], 'Field required');

/**
 * Proves again who uses a session: with the password, if the person has one, and with a code, if
 * they have a second factor. One of two is no proof.
 */
export const prove = ({
  db,
  publicUrl,
  passwords,
  outcomes,
  vault,
}: {
  db: Pick<Database, 'read'>;
  publicUrl: string;
  passwords: Passwords;
  outcomes: Outcomes;
  vault: Vault;
}) =>
  route({
    method: 'POST',
    path: '/auth/proof',
    area: 'Sign-in',
    operationId: 'prove',
    summary: 'Prove that it is you',
    description:
      'With your password, if you have one, and with a code, if you have a second factor. For ten ' +
      'minutes dangerous operations are open then. The session gets a new token.',
    credential: 'session',
    access: lockedSelf,
    limit: 'secondFactor',
    body: object({ password: Type.Optional(anyPassword()), code: Type.Optional(code()) }),
    sample: () => ({ body: { password: 'vexing-lamp-otter-41' } }),
    responses: { 200: provenAnswer('Proven.') },
    errors: [
      wrongPassword,
      wrongCode,
      nothingToProveWith,
      passwordMissing,
      codeMissing,
      signInBusy,
    ],
    auditDenied: { action: 'session.prove' },
    handle: async ({ body, requestId, load, transaction }) => {
      const { userId, two_factor } = await load();
      const [stored] = await db.read<{ phc: string }>(
        sql`select phc from password where user_id = ${userId}`,
      );
      if (stored === undefined && !two_factor) throw nothingToProveWith();
      if (stored !== undefined && body.password === undefined) throw passwordMissing();
      if (two_factor && body.code === undefined) throw codeMissing();
      const proof = async () => {
        if (stored !== undefined) await requireRight(passwords, body.password, stored.phc);
        return transaction(async (tx, caller) => {
          // It may have been enrolled meanwhile.
          if (caller.two_factor && body.code === undefined) throw codeMissing();
          const by = stored === undefined ? [] : ['password'];
          if (caller.two_factor)
            by.push(await useCode(tx, vault, { userId, code: body.code as string }));
          const replaced = await replaceToken(tx, caller);
          await recordChange(tx, {
            caller,
            action: 'session.prove',
            target: caller.session_id,
            requestId,
            before: {},
            after: { by },
          });
          return proven(publicUrl, replaced);
        });
      };
      return outcomes.counted('proof', proof());
    },
  });

async function requireRight(passwords: Passwords, password = '', phc: string): Promise<void> {
  const { right } = await passwords.verify(password, phc, { first: true });
  if (!right) throw wrongPassword();
}
