import type { ReactNode } from 'react';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { browserHasPasskeys, secondFactorPasskey } from '../../data/passkeys.ts';
import { sessionChanged, signOut } from '../../data/session.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Frame } from './frame.tsx';

type Factor = NonNullable<components['schemas']['Session']['second_factors']>[number];

/** The second step of a sign-in. */
export function SecondFactor({
  email,
  factors,
}: {
  email: string;
  factors: readonly Factor[];
}): ReactNode {
  return (
    <Frame title="One more step">
      <p className="text-muted">
        You are signing in as <span dir="auto">{email}</span>.
      </p>
      {factors.includes('passkey') && browserHasPasskeys() && (
        <Form
          submit="Use your passkey"
          onSubmit={async () => {
            await secondFactorPasskey();
            await sessionChanged();
          }}
        />
      )}
      {(factors.includes('totp') || factors.includes('recovery_code')) && (
        <Form
          submit="Continue"
          onSubmit={async ({ code = '' }) => {
            await auth.post('/auth/second-factor', { body: { code: code.trim() } });
            await sessionChanged();
          }}
        >
          <TextField
            name="code"
            label="Code"
            autoComplete="one-time-code"
            required
            hint="Six digits of your authenticator app, or one of your recovery codes."
          />
        </Form>
      )}
      {factors.length === 0 && (
        <p>
          Your account was brought here with a second factor that this server does not know, so a
          password alone does not open it. Ask the operator of the server for a sign-in link, and
          then set up an authenticator app under Security.
        </p>
      )}
      {factors.includes('passkey') && factors.length === 1 && !browserHasPasskeys() && (
        <p>
          Your second factor is a passkey, which needs HTTPS or localhost. Open this server at the
          address where you made it.
        </p>
      )}
      <Form
        submit="Start over"
        look="quiet"
        onSubmit={async () => {
          await signOut();
          location.reload();
        }}
      />
    </Frame>
  );
}
