import Type from 'typebox';
import { fieldError } from '../../http/errors.ts';
import { object } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { publicRoute } from '../../http/public-route.ts';
import { setSessionCookie } from '../../http/session-cookie.ts';
import type { Config } from '../../platform/config/config.ts';
import { beginByLink } from './begin-by-link.ts';
import { signInBusy } from './hashing-queue.ts';
import { linkToken, linkUnusable } from './look-at-link.ts';
import { newPassword, passwordTooWeak, requireStrength } from './password-strength.ts';
import type { Passwords } from './passwords.ts';
import { type OpenLink, openLink, passwordOf } from './sign-in-link.ts';
import { signedInAnswer, signedInBody } from './signed-in.ts';
import type { SigningIn } from './signing-in.ts';

const nameMissing = fieldError('missing', ['body', 'name'], 'Field required');
const passwordMissing = fieldError('missing', ['body', 'password'], 'Field required');
const passwordKept = fieldError(
  'password_kept',
  ['body', 'password'],
  'This link only signs you in: you have a password or a second factor already',
);

/**
 * Uses a link, once: one to sign up makes a user, one to reset sets a password and ends all other
 * sessions, and one from the operator signs in, and takes a password of someone who has none. A
 * second factor is asked for all the same, because a link is one factor.
 */
export const useLink = ({
  db,
  publicUrl,
  passwords,
  outcomes,
  signUp,
}: SigningIn & { signUp: Config['signUp'] }) =>
  publicRoute({
    method: 'POST',
    path: '/auth/links/use',
    area: 'Sign-in',
    operationId: 'use_link',
    summary: 'Use a link',
    description:
      'Begins a session by a link. To sign up takes a name and a password, to reset a password, ' +
      'and a link from the operator neither, or the first password of a person who has no second ' +
      'factor either. A new password signs the person out everywhere else.',
    limit: 'signIn',
    body: object({
      token: linkToken(),
      name: Type.Optional(name({ maxLength: 200 })),
      password: Type.Optional(newPassword()),
    }),
    sample: () => ({
      body: {
        token: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
        password: 'vexing-lamp-otter-41',
      },
    }),
    responses: { 200: signedInAnswer },
    errors: [linkUnusable, nameMissing, passwordMissing, passwordKept, passwordTooWeak, signInBusy],
    handle: async ({ body, take, ...request }) => {
      const unusable = async () => {
        outcomes.refused('link', 'link_unusable', { userId: undefined, ...request });
        await take('failedAuth', request.network);
        return linkUnusable();
      };
      const link = await openLink(db, body.token);
      if (link === undefined) throw await unusable();
      const phc = await newHash(passwords, link, body);
      const begun = await db.transaction((tx) =>
        beginByLink(tx, link, { name: body.name, phc, signUp, request }),
      );
      if (begun === undefined) throw await unusable();
      outcomes.done('link', begun.pending);
      return {
        status: 200,
        body: await signedInBody(db, begun),
        cookies: [setSessionCookie(publicUrl, begun.token)],
      };
    },
  });

/** The hash of the password that the link sets. Errors: 422. */
async function newHash(
  passwords: Passwords,
  link: OpenLink,
  { name, password }: { name?: string | undefined; password?: string | undefined },
): Promise<string | undefined> {
  const taken = passwordOf(link);
  if (link.purpose === 'sign_up' && name === undefined) throw nameMissing();
  if (taken === 'required' && password === undefined) throw passwordMissing();
  if (taken === 'none' && password !== undefined) throw passwordKept();
  if (password === undefined) return undefined;
  await requireStrength(password, { email: link.email, name: name ?? link.name });
  return passwords.hash(password);
}
