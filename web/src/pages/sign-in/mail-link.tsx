import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { auth } from '../../data/api.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Frame } from './frame.tsx';
import type { Offer } from './ways-in.tsx';

/** Asks for a link by mail: to sign up, or to set a new password. The server decides which. */
export function MailLink({
  offer,
  lead,
  email,
}: {
  offer: Offer;
  lead?: ReactNode;
  /** The address that is known already. */
  email?: string;
}): ReactNode {
  const { return_to } = useSearch({ from: '/sign-in' });
  const [sentTo, setSentTo] = useState<string>();
  return (
    <Frame title={sentTo === undefined ? 'Get a link by email' : 'Look at your email'}>
      {lead}
      {sentTo === undefined ? (
        <>
          <p className="text-muted">
            {offer.sign_up === 'open'
              ? 'With the link you sign up, or set a new password.'
              : 'With the link you set a new password. To sign up, you need an invitation to this address.'}
          </p>
          <Form
            submit="Send me a link"
            onSubmit={async ({ email = '' }) => {
              await auth.post('/auth/links', { body: { email: email.trim() } });
              setSentTo(email.trim());
            }}
          >
            <TextField
              name="email"
              label="Email"
              type="email"
              autoComplete="username"
              defaultValue={email}
              required
            />
          </Form>
        </>
      ) : (
        <p role="status">
          If <strong dir="auto">{sentTo}</strong> may have a link, it is on its way. It works once,
          for an hour. Nothing there? Look among the unwanted messages, and check the address.
        </p>
      )}
      {!offer.mail && (
        <p className="text-muted">
          This server sends no email yet: its operator finds the message in the server's data
          folder.
        </p>
      )}
      <p>
        <Link to="/sign-in" search={{ return_to }} className="text-link underline">
          Back to the sign-in
        </Link>
      </p>
    </Frame>
  );
}
