import { CannotOpen, type Sealing } from './sealing.ts';

/**
 * A secret that an answer shows once. An answer that is stored under its Idempotency-Key has it
 * sealed, so that no table contains it; what is sent has it in clear.
 */

const CONTEXT = 'answer with the secret of a webhook';
const SEALED = /"(secret|token)":"sealed:([0-9a-f]{16}):([A-Za-z0-9+/=]+)"/;

/** The JSON text of an object with its secret, as it is stored. */
export function withSealedSecret(
  sealing: Sealing,
  item: string,
  secret: string,
  field: 'secret' | 'token' = 'secret',
): string {
  const { keyId, sealed } = sealing.seal(Buffer.from(secret), CONTEXT);
  return `${item.slice(0, -1)},"${field}":"sealed:${keyId}:${sealed.toString('base64')}"}`;
}

/** The same with the secret, as it is sent. */
export const withSecret =
  (sealing: Sealing) =>
  (json: string): string =>
    json.replace(SEALED, (found, field: string, keyId: string, sealed: string) => {
      try {
        const secret = sealing.open({ keyId, sealed: Buffer.from(sealed, 'base64') }, CONTEXT);
        return `"${field}":"${secret}"`;
      } catch (error) {
        // Of a server secret that was replaced since; or a name that looks like it.
        if (error instanceof CannotOpen) return found;
        throw error;
      }
    });
