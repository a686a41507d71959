import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { accountQuery, factorsQuery, identitiesQuery } from '../data/account.ts';
import { auth } from '../data/api.ts';
import { browserHasPasskeys, provePasskey } from '../data/passkeys.ts';
import { sessionQuery, signOut, useUser } from '../data/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Form, TextField } from '../ui/form.tsx';

/**
 * Asks who is there, when an act needs it: by a passkey, by a password with a code if a second
 * factor is set up, or else by a new sign-in.
 */
export default function ProofDialog({ close }: { close: (proven: boolean) => void }): ReactNode {
  const factors = useQuery(factorsQuery);
  const account = useQuery(accountQuery);
  const demanded = account.data?.two_factor_enabled ?? false;
  return (
    <Dialog title="Is it you?" onClose={() => close(false)}>
      <p>This needs a proof that you gave in the last ten minutes.</p>
      {factors.error && <Failure error={factors.error} retry={() => void factors.refetch()} />}
      {factors.data &&
        !account.isPending &&
        (demanded && !factors.data.totp && factors.data.passkeys.length === 0 ? (
          <UnknownFactor />
        ) : (
          <Proofs {...factors.data} close={close} />
        ))}
    </Dialog>
  );
}

/**
 * For someone whose account demands a second factor that this server does not have: neither a password
 * nor a link by email lets them in.
 */
function UnknownFactor(): ReactNode {
  const { email } = useUser();
  return (
    <>
      <p>
        Your account was brought here with a second factor that this server does not know, so there
        is nothing to give here. A password or a link by email does not let you in without it.
      </p>
      <p>
        A fresh link of the operator, who uses <code>guildhall users link {email}</code>, proves
        that it is you, for ten minutes. Set up an authenticator app then.
      </p>
    </>
  );
}

function Proofs({
  password,
  totp,
  passkeys,
  close,
}: {
  password: boolean;
  totp: boolean;
  passkeys: readonly unknown[];
  close: (proven: boolean) => void;
}): ReactNode {
  const byPasskey = passkeys.length > 0 && browserHasPasskeys();
  // With a passkey as the only second factor, there is no code to give with the password.
  const byPassword = totp || (password && passkeys.length === 0);
  return (
    <>
      {byPasskey && (
        <Form
          submit="Use a passkey"
          onSubmit={async () => {
            await provePasskey();
            close(true);
          }}
        />
      )}
      {byPassword && (
        <Form
          submit="Continue"
          onCancel={() => close(false)}
          onSubmit={async ({ password, code }) => {
            await auth.post('/auth/proof', {
              body: {
                ...(password !== undefined && { password }),
                ...(code !== undefined && { code: code.trim() }),
              },
            });
            close(true);
          }}
        >
          {password && (
            <TextField
              name="password"
              label="Password"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
          {totp && (
            <TextField
              name="code"
              label="Code"
              autoComplete="one-time-code"
              required
              hint="Six digits of your authenticator app, or one of your recovery codes."
            />
          )}
        </Form>
      )}
      {!byPasskey && !byPassword && (
        <SignInAgain byPassword={password} hasPasskey={passkeys.length > 0} />
      )}
    </>
  );
}

/** For someone with nothing to give here: another way in, or a link that sets a first password. */
function SignInAgain({
  byPassword,
  hasPasskey,
}: {
  byPassword: boolean;
  hasPasskey: boolean;
}): ReactNode {
  const router = useRouter();
  const session = useQuery(sessionQuery);
  const identities = useQuery(identitiesQuery);
  const [sent, setSent] = useState(false);
  const { user, sign_in: offer } = session.data ?? {};
  if (user === undefined || offer === undefined || identities.data === undefined) return null;
  const linked = offer.providers.filter(({ id }) =>
    identities.data.some(({ provider }) => provider === id),
  );
  if (!byPassword && linked.length === 0)
    return (
      <>
        <p>
          {hasPasskey
            ? 'Your passkey does not work at this address: passkeys need HTTPS or localhost.'
            : 'You have no password yet, so there is nothing to give here.'}{' '}
          A fresh link proves that it is you, for ten minutes: one by email, which sets a password,
          or one of the operator, who uses <code>guildhall users link {user.email}</code>. A server
          with the demo prints one at each start.
        </p>
        {sent ? (
          <p role="status">
            A link to <strong dir="auto">{user.email}</strong> is on its way.
            {!offer.mail &&
              ' This server sends no email yet: its operator finds the message in the data folder.'}
          </p>
        ) : (
          <Form
            submit="Send me a link"
            onSubmit={async () => {
              await auth.post('/auth/links', { body: { email: user.email } });
              setSent(true);
            }}
          />
        )}
      </>
    );
  return (
    <>
      <p>
        You prove it by signing in again
        {linked.length > 0 && ` with ${linked.map(({ name }) => name).join(' or ')}`}.
      </p>
      <p className="text-muted">
        A new sign-in counts for ten minutes. You come back to this page; what you have typed is
        lost.
      </p>
      <Form
        submit="Sign in again"
        onSubmit={async () => {
          const { href } = router.state.location;
          await signOut();
          location.assign(`/sign-in?${new URLSearchParams({ return_to: href })}`);
        }}
      />
    </>
  );
}
