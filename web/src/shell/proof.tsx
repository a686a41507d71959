import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { accountQuery, factorsQuery, identitiesQuery } from '../data/account.ts';
import { auth } from '../data/api.ts';
import type { components } from '../data/auth-schema.d.ts';
import { browserHasPasskeys, provePasskey } from '../data/passkeys.ts';
import type { Refuse } from '../data/proof.ts';
import { sessionQuery, signOut, useUser } from '../data/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Form, TextField } from '../ui/form.tsx';

type Factors = components['schemas']['Factors'];

/**
 * Asks who is there, when an act needs it: by a passkey, by a password with a code if a second
 * factor is set up, or else by a new sign-in. It names what this person has, and so does the refusal
 * of the act if they give nothing.
 */
export default function ProofDialog({ close }: { close: (refuse?: Refuse) => void }): ReactNode {
  const factors = useQuery(factorsQuery);
  const account = useQuery(accountQuery);
  const ways =
    factors.data && !account.isPending
      ? waysOf(factors.data, account.data?.two_factor_enabled ?? false)
      : undefined;
  const refuse = () => close(inWords(toDo(ways)));
  return (
    <Dialog title="Is it you?" onClose={refuse}>
      <p>This needs a proof that you gave in the last ten minutes.</p>
      {factors.error && <Failure error={factors.error} retry={() => void factors.refetch()} />}
      {ways && ways.by.length > 0 && <Proofs ways={ways} proven={close} cancel={refuse} />}
      {ways?.without === 'known factor' && <UnknownFactor />}
      {ways?.without === 'passkey here' && <PasskeyElsewhere />}
      {ways?.without === 'password' && <SignInAgain />}
    </Dialog>
  );
}

/** What a person can give here, and if that is nothing, for lack of what. */
interface Ways {
  by: ('a passkey' | 'your password' | 'a code' | 'your password and a code')[];
  password: boolean;
  /** What a code may be. */
  codes: string[];
  without?: 'known factor' | 'passkey here' | 'password';
}

function waysOf(
  { password, totp, recovery_codes_left, passkeys }: Factors,
  demanded: boolean,
): Ways {
  const codes: string[] = [];
  if (totp) codes.push('six digits of your authenticator app');
  if (recovery_codes_left > 0) codes.push('one of your recovery codes');
  const by: Ways['by'] = [];
  if (passkeys.length > 0 && browserHasPasskeys()) by.push('a passkey');
  if (codes.length > 0) by.push(password ? 'your password and a code' : 'a code');
  // With a passkey as the only second factor, there is no code to give with the password.
  else if (password && !demanded) by.push('your password');
  if (by.length > 0) return { by, password, codes };
  if (passkeys.length > 0) return { by, password, codes, without: 'passkey here' };
  return { by, password, codes, without: demanded ? 'known factor' : 'password' };
}

/** What someone who has given no proof does, to do what they were refused. */
function toDo(ways: Ways | undefined): string {
  if (ways === undefined) return 'Prove that it is you, and then repeat this.';
  if (ways.without === 'known factor')
    return 'Sign in by a fresh link of the operator, and then repeat this within ten minutes.';
  if (ways.without === 'passkey here')
    return 'Prove that it is you at the address where you made your passkey, and repeat this there.';
  if (ways.without === 'password')
    return 'Sign in again, or by a fresh link, and then repeat this within ten minutes.';
  return `Prove again that it is you, by ${ways.by.join(' or ')}, and then repeat this.`;
}

const inWords =
  (detail: string): Refuse =>
  async (refused) =>
    new Response(JSON.stringify({ ...(await refused.json()), detail }), refused);

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

/** For someone whose passkey is their only second factor, in a browser that has none here. */
function PasskeyElsewhere(): ReactNode {
  const { email } = useUser();
  return (
    <>
      <p>
        Your passkey does not work at this address: passkeys need HTTPS or localhost. Open this
        server at the address where you made it.
      </p>
      <p>
        If that is gone, the operator, who uses{' '}
        <code>guildhall users reset-two-factor {email}</code>, ends that a second factor is asked
        for.
      </p>
    </>
  );
}

function Proofs({
  ways: { by, password, codes },
  proven,
  cancel,
}: {
  ways: Ways;
  proven: () => void;
  cancel: () => void;
}): ReactNode {
  const [first = '', ...others] = codes;
  return (
    <>
      {by.includes('a passkey') && (
        <Form
          submit="Use a passkey"
          onSubmit={async () => {
            await provePasskey();
            proven();
          }}
        />
      )}
      {by.some((way) => way !== 'a passkey') && (
        <Form
          submit="Continue"
          onCancel={cancel}
          onSubmit={async ({ password, code }) => {
            await auth.post('/auth/proof', {
              body: {
                ...(password !== undefined && { password }),
                ...(code !== undefined && { code: code.trim() }),
              },
            });
            proven();
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
          {codes.length > 0 && (
            <TextField
              name="code"
              label="Code"
              autoComplete="one-time-code"
              required
              hint={`${first.charAt(0).toUpperCase()}${[first.slice(1), ...others].join(', or ')}.`}
            />
          )}
        </Form>
      )}
    </>
  );
}

/** For someone with nothing to give here: another way in, or a link that sets a first password. */
function SignInAgain(): ReactNode {
  const router = useRouter();
  const session = useQuery(sessionQuery);
  const identities = useQuery(identitiesQuery);
  const [sent, setSent] = useState(false);
  const { user, sign_in: offer } = session.data ?? {};
  if (user === undefined || offer === undefined || identities.data === undefined) return null;
  const linked = offer.providers.filter(({ id }) =>
    identities.data.some(({ provider }) => provider === id),
  );
  if (linked.length === 0)
    return (
      <>
        <p>
          You have no password yet, so there is nothing to give here. A fresh link proves that it is
          you, for ten minutes: one by email, which sets a password, or one of the operator, who
          uses <code>guildhall users link {user.email}</code>. A server with the demo prints one at
          each start.
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
      <p>You prove it by signing in again with {linked.map(({ name }) => name).join(' or ')}.</p>
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
