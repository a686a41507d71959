import Type from 'typebox';
import { lockedSelf, type OwnSession } from '../../../access/session.ts';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/caller.ts';
import { apiError, fieldError } from '../../../http/errors.ts';
import { route } from '../../../http/route.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import { followFactors } from '../second-factors.ts';
import { renewedCookie } from '../session.ts';
import { newChallenge, takeChallenge } from './challenge.ts';
import { newCredential } from './credential.ts';
import { creationOptions, toRegister } from './options.ts';
import { passkey, passkeysOf, passkeysUnavailable, requireParty } from './passkey.ts';
import type { RelyingParty } from './relying-party.ts';
import { challengeOf, type NewPasskey, verifyNew } from './webauthn.ts';

const MOST_PASSKEYS = 20;

const tooManyPasskeys = apiError(
  409,
  'too_many_passkeys',
  `You have ${MOST_PASSKEYS} passkeys, which is the most: remove those that you no longer use`,
);
/** Named like the index that refuses it. */
const passkeyKnown = apiError(
  409,
  'passkey_known',
  'This passkey has been added before: sign in with it',
);
const passkeyInvalid = fieldError(
  'passkey_invalid',
  ['body', 'credential'],
  'The passkey does not answer the challenge of this session: start again',
);

/** Begins to add a passkey. */
export const beginPasskey = ({ party }: { party: RelyingParty | undefined }) =>
  route({
    method: 'POST',
    path: '/auth/passkeys/options',
    area: 'Sign-in',
    operationId: 'begin_passkey',
    summary: 'Begin to add a passkey',
    description:
      'What the browser needs to make a passkey, within five minutes. The answer of the browser ' +
      'goes to `create_passkey`.',
    credential: 'proven-session',
    access: lockedSelf,
    responses: {
      200: {
        description: 'The options for `navigator.credentials.create`.',
        schema: creationOptions,
        example: toRegister(
          { id: 'guildhall.example.com', origin: 'https://guildhall.example.com' },
          { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', email: 'ada@example.com', name: 'Ada' },
          { challenge: 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDU', passkeys: [] },
        ),
      },
    },
    errors: [passkeysUnavailable, tooManyPasskeys],
    handle: ({ transaction }) =>
      transaction(async (tx, { userId, session_id: sessionId }) => {
        const rp = requireParty(party);
        const passkeys = await passkeysOf(tx, userId);
        if (passkeys.length >= MOST_PASSKEYS) throw tooManyPasskeys();
        const user = await tx.one<{ id: string; email: string; name: string | null }>(sql`
          select id, email, name from app_user where id = ${userId}`);
        const challenge = await newChallenge(tx, { purpose: 'register', sessionId });
        return { status: 200, body: toRegister(rp, user, { challenge, passkeys }) };
      }),
  });

/** Adds the passkey that the browser has made. */
export const createPasskey = ({
  publicUrl,
  party,
}: {
  publicUrl: string;
  party: RelyingParty | undefined;
}) =>
  route({
    method: 'POST',
    path: '/auth/passkeys',
    area: 'Sign-in',
    operationId: 'create_passkey',
    summary: 'Add a passkey',
    description:
      'Adds the passkey that the browser has made with the options of `begin_passkey`. From then ' +
      'on you have a second factor. The session gets a new token.',
    credential: 'proven-session',
    access: lockedSelf,
    body: Type.Object(
      { name: passkey.writable.name, credential: newCredential },
      { additionalProperties: false },
    ),
    sample: () => ({ body: { name: 'Laptop', credential: SAMPLE } }),
    responses: { 201: passkey.shown('The new passkey.', []) },
    errors: [passkeysUnavailable, tooManyPasskeys, passkeyKnown, passkeyInvalid],
    handle: async ({ body: { name, credential }, requestId, load, begin, transaction }) => {
      const { session_id: sessionId } = await load();
      const rp = requireParty(party);
      const challenge = await challengeOf(credential);
      // In a transaction of its own: the challenge is spent, whatever becomes of the passkey.
      const taken = await begin((tx) =>
        takeChallenge(tx, challenge, { purpose: 'register', sessionId }),
      );
      const made = taken ? await verifyNew(rp, credential, challenge as string) : undefined;
      if (made === undefined) throw passkeyInvalid();
      return transaction(async (tx, caller) => {
        if ((await passkeysOf(tx, caller.userId)).length >= MOST_PASSKEYS) throw tooManyPasskeys();
        const { item } = await insert(tx, caller, { ...made, name, requestId });
        await followFactors(tx, caller.userId);
        const cookies = [await renewedCookie(tx, caller, publicUrl)];
        return { status: 201, body: item, cookies };
      });
    },
  });

const insert = (
  tx: Tx,
  caller: Caller & OwnSession,
  made: NewPasskey & { name: string; requestId: string },
) =>
  tx.one<{ item: string }>(sql`
    with ${actor(caller)},
    made as (
      insert into passkey (user_id, credential_id, public_key, counter, transports, backed_up, name)
      values (${caller.userId}, ${made.credentialId}, ${made.publicKey}, ${made.counter},
              ${made.transports}, ${made.backedUp}, ${made.name})
      returning *),
    audited as (${auditRow({
      action: 'passkey.create',
      requestId: made.requestId,
      target: sql`made.id`,
      organization: sql`null::uuid`,
      before: sql`null`,
      after: sql`jsonb_build_object('name', made.name)`,
      from: sql`made`,
    })})
    select ${passkey.json} as item from made t`);

const SAMPLE = {
  id: 'AQIDBAUGBwgJCgsMDQ4PEA',
  rawId: 'AQIDBAUGBwgJCgsMDQ4PEA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
};
