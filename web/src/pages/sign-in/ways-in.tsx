import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { browserHasPasskeys, signInWithPasskey } from '../../data/passkeys.ts';
import { sessionChanged } from '../../data/session.ts';
import { Form, TextField } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { Frame } from './frame.tsx';
import { providerError } from './provider-errors.ts';

export type Offer = components['schemas']['Session']['sign_in'];

/** The ways to sign in that this server offers: a password, a passkey, providers. */
export function WaysIn({
  offer,
  title = 'Sign in',
  lead,
  email,
}: {
  offer: Offer;
  title?: string;
  /** What the sign-in is for. */
  lead?: ReactNode;
  /** The address that is known already. */
  email?: string;
}): ReactNode {
  const search = useSearch({ from: '/sign-in' });
  return (
    <Frame title={title}>
      {lead}
      {search.error !== undefined && <Refusal>{providerError(search.error)}</Refusal>}
      <Form
        submit="Sign in"
        onSubmit={async ({ email = '', password = '' }) => {
          await auth.post('/auth/sign-in', { body: { email: email.trim(), password } });
          await sessionChanged();
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
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
      <p>
        <Link
          to="/sign-in"
          search={{ return_to: search.return_to, by: 'mail' }}
          className="text-link underline"
        >
          New here, or no password?
        </Link>
      </p>
      {offer.passkeys && browserHasPasskeys() && (
        <Form
          submit="Use a passkey"
          look="plain"
          onSubmit={async () => {
            await signInWithPasskey();
            await sessionChanged();
          }}
        />
      )}
      {!(offer.passkeys && browserHasPasskeys()) && (
        <p className="text-xs text-muted">
          Passkeys do not work at {location.origin}: they need HTTPS and a host name, or localhost.
        </p>
      )}
      {offer.providers.map(({ id, name }) => (
        <p key={id}>
          <a href={startOf(id, search.return_to)} className="text-link underline">
            Sign in with {name}
          </a>
        </p>
      ))}
    </Frame>
  );
}

/** A page of the server, which leads on to the provider. */
function startOf(provider: string, returnTo: string | undefined): string {
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo })}`;
  return `/auth/providers/${encodeURIComponent(provider)}/start${query}`;
}
