import { lockedSelf } from '../../../access/session.ts';
import { apiError } from '../../../http/errors.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import type { Vault } from '../vault.ts';
import { recoveryCodesAnswer } from './enrol-totp.ts';
import { newRecoveryCodes } from './recovery-codes.ts';

const noSecondFactor = apiError(
  409,
  'no_second_factor',
  'Recovery codes stand in for a second factor: add an authenticator app or a passkey first',
);

/** Replaces all recovery codes. */
export const renewRecoveryCodes = ({ vault }: { vault: Vault }) =>
  route({
    method: 'POST',
    path: '/auth/recovery-codes',
    area: 'Sign-in',
    operationId: 'renew_recovery_codes',
    summary: 'Make new recovery codes',
    description: 'Ten new codes, which replace all earlier ones. Each works once.',
    credential: 'proven-session',
    access: lockedSelf,
    responses: { 200: recoveryCodesAnswer },
    errors: [noSecondFactor],
    auditDenied: { action: 'recovery_codes.renew' },
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const { userId } = caller;
        if (!caller.two_factor) throw noSecondFactor();
        const codes = await newRecoveryCodes(tx, vault, userId);
        await recordChange(tx, {
          caller,
          action: 'recovery_codes.renew',
          target: userId,
          requestId,
          before: {},
          after: {},
        });
        return { status: 200, body: { recovery_codes: codes } };
      }),
  });
