import Type from 'typebox';
import type { Answer, DeclaredAnswer } from '../../http/route.ts';
import { PROOF_MINUTES, setSessionCookie } from '../../http/session-cookie.ts';
import { timestamp } from '../../http/timestamps.ts';

/** The answer to a proof, which also sets the cookie with the new token. */
export const provenAnswer = (description: string): DeclaredAnswer => ({
  description,
  schema: Type.Object({ proven_until: timestamp() }, { $id: 'Proven' }),
  example: { proven_until: '2026-11-21T08:25:30.123Z' },
});

/** What a person gets who has proven who they are: the session goes on under a new token. */
export const proven = (
  publicUrl: string,
  { token, provenAt }: { token: string; provenAt: Date },
): Answer => ({
  status: 200,
  body: { proven_until: new Date(provenAt.getTime() + PROOF_MINUTES * 60_000).toISOString() },
  cookies: [setSessionCookie(publicUrl, token)],
});
