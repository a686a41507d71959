import Type, { type Static } from 'typebox';

/** What a second factor may be. */
export const secondFactor = Type.Enum(['totp', 'recovery_code', 'passkey']);

/** How one may sign in here. */
export const signInOffer = Type.Object({
  sign_up: Type.Enum(['open', 'invited'], {
    description: 'Who may sign up: everyone, or those who have an open invitation.',
  }),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'With whom one may sign in.',
  }),
  passkeys: Type.Boolean({
    description: 'Whether passkeys work at the public address: an IP address has none.',
  }),
  mail: Type.Boolean({ description: 'Whether links are sent by mail.' }),
});

export type SignInOffer = Static<typeof signInOffer>;
