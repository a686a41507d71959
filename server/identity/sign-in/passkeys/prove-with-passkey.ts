import Type from 'typebox';
import { ownSession } from '../../../access/session.ts';
import type { Database, Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/caller.ts';
import { apiError } from '../../../http/errors.ts';
import { type Route, route } from '../../../http/route.ts';
import { PROOF_MINUTES } from '../../../http/session-cookie.ts';
import { timestamp } from '../../../http/timestamps.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import type { Outcomes } from '../outcomes.ts';
import { proven } from '../proven.ts';
import { replaceToken } from '../session.ts';
import { newChallenge } from './challenge.ts';
import { assertedCredential } from './credential.ts';
import { requestOptions, toAssert } from './options.ts';
import {
  noPasskey,
  noteUse,
  passkeysOf,
  passkeysUnavailable,
  requireParty,
  signedBy,
} from './passkey.ts';
import type { RelyingParty } from './relying-party.ts';
import { ASSERTED, OPTIONS } from './samples.ts';

const passkeyRefused = apiError(
  403,
  'passkey_refused',
  'This passkey was not accepted: try again, or use another factor',
);

/** The two occasions on which someone who has a session shows a passkey. */
const OCCASIONS = {
  second_factor: {
    path: '/auth/second-factor/passkey',
    credential: 'pending-session',
    name: 'second_factor_passkey',
    summary: 'give a passkey as the second factor',
    action: 'session.second_factor',
  },
  proof: {
    path: '/auth/proof/passkey',
    credential: 'session',
    name: 'proof_passkey',
    summary: 'prove with a passkey that it is you',
    action: 'session.prove',
  },
} as const;

interface Deps {
  db: Database;
  publicUrl: string;
  party: RelyingParty | undefined;
  outcomes: Outcomes;
}

/** The options and the answer of each occasion, four operations in all. */
export const proofsWithPasskey = (deps: Deps): Route[] =>
  (['second_factor', 'proof'] as const).flatMap((purpose) => [
    beginProof(purpose, deps),
    finishProof(purpose, deps),
  ]);

const beginProof = (purpose: keyof typeof OCCASIONS, { party }: Deps) => {
  const { path, credential, name, summary } = OCCASIONS[purpose];
  return route({
    method: 'POST',
    path: `${path}/options`,
    area: 'Sign-in',
    operationId: `begin_${name}`,
    summary: `Begin to ${summary}`,
    description:
      'What the browser needs to ask for one of your passkeys, within five minutes. The answer of ' +
      `the browser goes to \`${name}\`.`,
    credential,
    access: ownSession,
    responses: {
      200: {
        description: 'The options for `navigator.credentials.get`.',
        schema: requestOptions,
        example: OPTIONS,
      },
    },
    errors: [passkeysUnavailable, noPasskey],
    handle: ({ transaction }) =>
      transaction(async (tx, { userId, session_id: sessionId }) => {
        const rp = requireParty(party);
        const passkeys = await passkeysOf(tx, userId);
        if (passkeys.length === 0) throw noPasskey();
        const challenge = await newChallenge(tx, { purpose, sessionId });
        return { status: 200, body: toAssert(rp, { challenge, passkeys }) };
      }),
  });
};

const finishProof = (purpose: keyof typeof OCCASIONS, { db, party, publicUrl, outcomes }: Deps) => {
  const { path, credential, name, summary, action } = OCCASIONS[purpose];
  return route({
    method: 'POST',
    path,
    area: 'Sign-in',
    operationId: name,
    summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`,
    description:
      `With the answer to \`begin_${name}\`. The session gets a new token, and its person counts as ` +
      `proven for ${PROOF_MINUTES} minutes.`,
    credential,
    access: ownSession,
    body: Type.Object({ credential: assertedCredential }, { additionalProperties: false }),
    sample: () => ({ body: { credential: ASSERTED } }),
    responses: {
      200: {
        description: 'Proven: the cookie of the session is replaced.',
        schema: Type.Object({ proven_until: timestamp() }, { $id: `Proven_${purpose}` }),
        example: { proven_until: '2026-11-21T08:25:30.123Z' },
      },
    },
    errors: [passkeysUnavailable, passkeyRefused],
    handle: async ({ body, requestId, load, begin }) => {
      const caller = await load();
      const rp = requireParty(party);
      const { userId, session_id: sessionId } = caller;
      const asked = { purpose, sessionId, userId };
      const proof = async () => {
        const signed = await signedBy(db, rp, body.credential, asked);
        if (signed === undefined) throw passkeyRefused();
        return begin(async (tx) => {
          const replaced = await replaceToken(tx, caller);
          if (!(await noteUse(tx, signed))) throw passkeyRefused();
          await record(tx, caller, { action, requestId, passkeyId: signed.id });
          return replaced;
        });
      };
      return proven(publicUrl, await outcomes.counted(purpose, proof()));
    },
  });
};

const record = (
  tx: Tx,
  caller: Caller,
  { action, requestId, passkeyId }: { action: string; requestId: string; passkeyId: string },
) =>
  tx.many(sql`
    with ${actor(caller)}
    ${auditRow({
      action,
      requestId,
      target: sql`caller.session_id`,
      organization: sql`null::uuid`,
      before: sql`null`,
      after: sql`jsonb_build_object('by', 'passkey', 'passkey_id', ${passkeyId}::text)`,
      from: sql`(values (true)) proven`,
    })}`);
