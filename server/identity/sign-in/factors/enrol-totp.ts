import Type from 'typebox';
import { lockedSelf } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { apiError } from '../../../http/errors.ts';
import { object } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import { followFactors } from '../second-factors.ts';
import { renewedCookie } from '../session.ts';
import type { Vault } from '../vault.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { enrolment, newTotpSecret, stepOf } from './totp.ts';
import { code, type SealedTotp, wrongCode } from './use-code.ts';

const totpEnabled = apiError(
  409,
  'totp_enabled',
  'You have an authenticator app already: remove it first',
);
const totpNotBegun = apiError(
  409,
  'totp_not_begun',
  'There is nothing to confirm: begin with POST /auth/totp',
);

/** The first half of enrolling an authenticator app: its secret, shown once. */
export const beginTotp = ({ vault }: { vault: Vault }) =>
  route({
    method: 'POST',
    path: '/auth/totp',
    area: 'Sign-in',
    operationId: 'begin_totp',
    summary: 'Begin to add an authenticator app',
    description:
      'A new secret for the app. It counts as a factor only once `confirm_totp` has its first code.',
    credential: 'proven-session',
    access: lockedSelf,
    responses: {
      200: {
        description: 'What the app needs.',
        schema: Type.Object(
          {
            secret: Type.String({ description: 'In base32, to be typed.' }),
            url: Type.String({ description: 'To be scanned as a QR code.' }),
          },
          { $id: 'TotpEnrolment' },
        ),
        example: {
          secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
          url: 'otpauth://totp/Guildhall:ada%40example.com?issuer=Guildhall&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
        },
      },
    },
    errors: [totpEnabled],
    handle: ({ transaction }) =>
      transaction(async (tx, { userId, email }) => {
        const secret = newTotpSecret();
        const { keyId, sealed } = vault.seal(secret, userId);
        const begun = await tx.maybeOne(sql`
          insert into totp as t (user_id, secret, key_id) values (${userId}, ${sealed}, ${keyId})
          on conflict (user_id) do update
             set secret = excluded.secret, key_id = excluded.key_id, created_at = clock_timestamp()
           where t.confirmed_at is null
          returning user_id`);
        if (begun === undefined) throw totpEnabled();
        return { status: 200, body: enrolment(secret, email) };
      }),
  });

/** What is shown once: the new recovery codes. */
export const recoveryCodesAnswer = {
  description: 'Ten recovery codes, shown only this once.',
  schema: Type.Object({ recovery_codes: Type.Array(Type.String()) }, { $id: 'RecoveryCodes' }),
  example: { recovery_codes: ['4k2mz-9w7qp', 'b81xn-t0v3c'] },
};

/** The second half: the first code of the app proves that it has the secret. */
export const confirmTotp = ({ publicUrl, vault }: { publicUrl: string; vault: Vault }) =>
  route({
    method: 'POST',
    path: '/auth/totp/confirm',
    area: 'Sign-in',
    operationId: 'confirm_totp',
    summary: 'Confirm the authenticator app',
    description:
      'With a code that the app shows. From then on you are asked for one at each sign-in. The ' +
      'answer has new recovery codes, which replace all earlier ones. The session gets a new token.',
    credential: 'proven-session',
    access: lockedSelf,
    limit: 'secondFactor',
    body: object({ code: code() }),
    sample: () => ({ body: { code: '492039' } }),
    responses: { 200: recoveryCodesAnswer },
    errors: [totpEnabled, totpNotBegun, wrongCode],
    auditDenied: { action: 'totp.enable' },
    handle: ({ body, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const { userId } = caller;
        const begun = await tx.maybeOne<SealedTotp & { confirmed_at: Date | null }>(
          sql`select secret as sealed, key_id as "keyId", confirmed_at from totp where user_id = ${userId}`,
        );
        if (begun === undefined) throw totpNotBegun();
        if (begun.confirmed_at !== null) throw totpEnabled();
        const step = stepOf(vault.open(begun, userId), body.code.replaceAll(/\s/g, ''));
        if (step === undefined) throw wrongCode();
        await tx.many(sql`
          update totp set confirmed_at = clock_timestamp(), last_step = ${step}
           where user_id = ${userId}`);
        await followFactors(tx, userId);
        const codes = await newRecoveryCodes(tx, vault, userId);
        await recordChange(tx, {
          caller,
          action: 'totp.enable',
          target: userId,
          requestId,
          before: {},
          after: {},
        });
        return {
          status: 200,
          body: { recovery_codes: codes },
          cookies: [await renewedCookie(tx, caller, publicUrl)],
        };
      }),
  });
