import { lockedSelf } from '../../access/session.ts';
import { object } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { signInBusy } from './hashing-queue.ts';
import { newPassword, passwordTooWeak, requireStrength } from './password-strength.ts';
import type { Passwords } from './passwords.ts';
import { renewedCookie } from './session.ts';
import { setPassword } from './set-password.ts';

/** Sets a password, whether there was one or not, and ends all other sessions of the person. */
export const changePassword = ({
  publicUrl,
  passwords,
}: {
  publicUrl: string;
  passwords: Passwords;
}) =>
  route({
    method: 'PUT',
    path: '/auth/password',
    area: 'Sign-in',
    operationId: 'change_password',
    summary: 'Set the password',
    description:
      'Sets your password, and signs you out everywhere else. This session gets a new token.',
    credential: 'proven-session',
    access: lockedSelf,
    body: object({ password: newPassword() }),
    sample: () => ({ body: { password: 'vexing-lamp-otter-41' } }),
    responses: { 204: { description: 'The password is set.' } },
    errors: [passwordTooWeak, signInBusy],
    auditDenied: { action: 'password.set' },
    limit: 'secondFactor',
    handle: async ({ body, requestId, load, transaction }) => {
      const { email, name } = await load();
      await requireStrength(body.password, { email, name });
      const phc = await passwords.hash(body.password);
      return transaction(async (tx, caller) => {
        const { userId, keyId, sessionId } = caller;
        await setPassword(tx, { caller: { userId, keyId, sessionId }, phc, requestId });
        return { status: 204, cookies: [await renewedCookie(tx, caller, publicUrl)] };
      });
    },
  });
