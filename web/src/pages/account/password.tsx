import { type ReactNode, useState } from 'react';
import { refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import { useUser } from '../../data/session.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';

/** Sets a password, whether there was one or not. */
export function Password(): ReactNode {
  const user = useUser();
  // Another form after each change, so that its field is empty again.
  const [changes, setChanges] = useState(0);
  return (
    <Section title="Password">
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
