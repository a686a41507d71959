import Type, { type Static } from 'typebox';
import { ignored, oneOf } from '../../../http/input/fields.ts';

/** The longest id of a credential (WebAuthn, 5.8.3: 1,023 bytes). */
const LONGEST_ID = 1364;

const encoded = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

// What browsers send beside, and what is read from the signed data instead.
const beside = {
  authenticatorAttachment: ignored(),
  clientExtensionResults: ignored(),
};

const base = {
  id: encoded(LONGEST_ID),
  rawId: encoded(LONGEST_ID),
  type: oneOf(['public-key']),
  ...beside,
};

const closed = { additionalProperties: false };

/** A new credential, as `PublicKeyCredential.toJSON()` has it in a browser. */
export const newCredential = Type.Object(
  {
    ...base,
    response: Type.Object(
      {
        clientDataJSON: encoded(4096),
        attestationObject: encoded(16_384),
        transports: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 32, pattern: '^[a-z-]+$' }), {
            maxItems: 10,
          }),
        ),
        authenticatorData: ignored(),
        publicKey: ignored(),
        publicKeyAlgorithm: ignored(),
      },
      closed,
    ),
  },
  closed,
);

/** The answer of a credential to a challenge, in the same form. */
export const assertedCredential = Type.Object(
  {
    ...base,
    response: Type.Object(
      {
        clientDataJSON: encoded(4096),
        authenticatorData: encoded(4096),
        signature: encoded(2048),
        userHandle: Type.Optional(encoded(88)),
      },
      closed,
    ),
  },
  closed,
);

type Read = 'id' | 'rawId' | 'type' | 'response';
export type NewCredential = Pick<Static<typeof newCredential>, Read>;
export type AssertedCredential = Pick<Static<typeof assertedCredential>, Read>;
