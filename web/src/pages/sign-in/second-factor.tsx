import type { ReactNode } from 'react';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { secondFactorPasskey } from '../../data/passkeys.ts';
import { sessionChanged } from '../../data/session.ts';
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
      {factors.includes('passkey') && (
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
      <Form
        submit="Start over"
        look="quiet"
        onSubmit={async () => {
          await auth.post('/auth/sign-out');
          await sessionChanged();
        }}
      />
    </Frame>
  );
}
