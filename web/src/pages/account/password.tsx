import { type ReactNode, useState } from 'react';
import { refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import { useUser } from '../../data/session.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';

/** Sets a password, whether there was one or not. */
export function Password({
  missing,
}: {
  /** What the person lacks to sign in without a link. */
  missing: 'password' | 'second_factor' | undefined;
}): ReactNode {
  const user = useUser();
  // Another form after each change, so that its field is empty again.
  const [changes, setChanges] = useState(0);
  return (
    <Section title="Password">
      {missing === 'password' && (
        <p className="max-w-prose">
          You have none yet, so only a link signs you in. Within ten minutes after you have come by
          one, you can set a password here.
        </p>
      )}
      {missing === 'second_factor' && (
        <p className="max-w-prose">
          Your password does not open your account yet: it was brought here with a second factor
          that this server does not know. Set up an authenticator app below.
        </p>
      )}
      <Form
        key={changes}
        submit="Set the password"
        onSubmit={async ({ password = '' }) => {
          await auth.put('/auth/password', { body: { password } });
          await refreshAccount();
          setChanges(changes + 1);
        }}
      >
        {/* For password managers: which account the password is of. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <TextField
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
          hint="At least 8 characters; three or four words that have nothing to do with each other are good. You are signed out everywhere else."
        />
      </Form>
      <p role="status" className="text-done">
        {changes > 0 ? 'The password is set, and you are signed out everywhere else.' : ''}
      </p>
    </Section>
  );
}
