import Type from 'typebox';
import type { Database } from '../../../db/database/database.ts';
import { apiError } from '../../../http/errors.ts';
import { publicRoute } from '../../../http/public-route.ts';
import { setSessionCookie } from '../../../http/session-cookie.ts';
import type { Outcomes } from '../outcomes.ts';
import { beginSession } from '../session.ts';
import { newChallenge } from './challenge.ts';
import { assertedCredential } from './credential.ts';
import { requestOptions, toAssert } from './options.ts';
import { noteUse, passkeysUnavailable, requireParty, signedBy } from './passkey.ts';
import type { RelyingParty } from './relying-party.ts';
import { ASSERTED, OPTIONS } from './samples.ts';

/** One answer for every passkey that does not sign in, so that it does not say why. */
const passkeyRefused = apiError(
  401,
  'passkey_refused',
  'This passkey does not sign in here: try again, or sign in another way',
);

interface Deps {
  db: Database;
  publicUrl: string;
  party: RelyingParty | undefined;
  outcomes: Outcomes;
}

/** Begins to sign in with a passkey, whose person need not say who they are. */
export const beginSignInWithPasskey = ({ db, party }: Pick<Deps, 'db' | 'party'>) =>
  publicRoute({
    method: 'POST',
    path: '/auth/sign-in/passkey/options',
    area: 'Sign-in',
    operationId: 'begin_sign_in_with_passkey',
    summary: 'Begin to sign in with a passkey',
    description:
      'What the browser needs to ask for any passkey of this server, within five minutes. The ' +
      'answer of the browser goes to `sign_in_with_passkey`.',
    limit: 'signIn',
    responses: {
      200: {
        description: 'The options for `navigator.credentials.get`.',
        schema: requestOptions,
        example: OPTIONS,
      },
    },
    errors: [passkeysUnavailable],
    handle: async () => {
      const rp = requireParty(party);
      const challenge = await newChallenge(db, { purpose: 'sign_in', sessionId: null });
      return { status: 200, body: toAssert(rp, { challenge }) };
    },
  });

/** Signs in with a passkey. It has verified its user, and so is both factors. */
export const signInWithPasskey = ({ db, publicUrl, party, outcomes }: Deps) =>
  publicRoute({
    method: 'POST',
    path: '/auth/sign-in/passkey',
    area: 'Sign-in',
    operationId: 'sign_in_with_passkey',
    summary: 'Sign in with a passkey',
    description:
      'Begins a session with the answer to `begin_sign_in_with_passkey`. A passkey is both factors: ' +
      'nothing else is asked for.',
    limit: 'signIn',
    body: Type.Object({ credential: assertedCredential }, { additionalProperties: false }),
    sample: () => ({ body: { credential: ASSERTED } }),
    responses: {
      200: {
        description: 'Signed in: the cookie of the session is set.',
        schema: Type.Object({ pending: Type.Boolean() }, { $id: 'SignedInWithPasskey' }),
        example: { pending: false },
      },
    },
    errors: [passkeysUnavailable, passkeyRefused],
    handle: async ({ body: { credential }, headers, network, requestId }) => {
      const rp = requireParty(party);
      const asked = { purpose: 'sign_in', sessionId: null } as const;
      const request = { headers, network, requestId };
      const refused = (userId?: string) => {
        outcomes.refused('passkey', passkeyRefused.code, { userId, network, requestId });
        return passkeyRefused();
      };
      const signed = await signedBy(db, rp, credential, asked);
      if (signed === undefined) throw refused();
      const { userId } = signed;
      const session = await db.transaction(async (tx) => {
        const begun = await beginSession(tx, userId, { by: 'passkey', pending: false, request });
        if (begun === undefined || !(await noteUse(tx, signed))) throw refused(userId);
        return begun;
      });
      outcomes.done('passkey');
      const cookies = [setSessionCookie(publicUrl, session.token)];
      return { status: 200, body: { pending: false }, cookies };
    },
  });
