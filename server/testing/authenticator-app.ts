import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../db/sql.ts';
import type { Browser } from './browser.ts';
import type { Harness } from './harness.ts';

/** An authenticator app that was enrolled, and the recovery codes that its person wrote down. */
export interface Authenticator {
  /** The code of now. */
  code(): string;
  recoveryCodes: string[];
}

/** Enrols an app for the person of this browser, whose session is proven. */
export async function enrol({ request }: Browser): Promise<Authenticator> {
  const begun = await request('POST', '/auth/totp');
  assert.equal(begun.status, 200, begun.text);
  const totp = new TOTP({ secret: Secret.fromBase32(begun.body.secret) });
  const code = () => totp.generate();
  const confirmed = await request('POST', '/auth/totp/confirm', { body: { code: code() } });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { code, recoveryCodes: confirmed.body.recovery_codes };
}

/** Makes the codes of a person work again that were used, as if their time had passed. */
export const forgetCodes = ({ owner }: Pick<Harness, 'owner'>, userId: string) =>
  owner(sql`update totp set last_step = 0 where user_id = ${userId}`);
