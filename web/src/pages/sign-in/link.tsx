import { GuildhallError } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auth } from '../../data/api.ts';
import { sessionChanged } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { Frame } from './frame.tsx';

const TEXTS = {
  sign_up: { title: 'Create your account', submit: 'Create the account' },
  reset: { title: 'Set a new password', submit: 'Set the password' },
  sign_in: { title: 'Sign in', submit: 'Sign in' },
};

/** What a link that was mailed, or given by the operator, is for. It is used by the button alone. */
export function LinkPage(): ReactNode {
  const { token } = useParams({ from: '/links/$token' });
  const navigate = useNavigate();
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: ({ signal }) => auth.post('/auth/links/look', { body: { token } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (link.error)
    return (
      <Frame title="This link does not open">
        <Failure error={link.error} />
        <Link to="/sign-in" search={{ by: 'mail' }} className="text-link underline">
          Get another link
        </Link>
      </Frame>
    );
  if (link.data === undefined)
    return (
      <main>
        <Loading />
      </main>
    );
  const { purpose, password: takes, second_factor: factor, email } = link.data;
  const { title, submit } = TEXTS[purpose];
  return (
    <Frame title={title}>
      <p className="text-muted">
        {purpose === 'reset' ? 'Whoever is signed in elsewhere as ' : 'For '}
        <strong dir="auto">{email}</strong>
        {purpose === 'reset' ? ' is signed out there.' : '.'}
      </p>
      {factor === 'asked' && <p>You are asked for your second factor after this.</p>}
      {factor === 'unknown' && <UnknownFactor purpose={purpose} />}
      <Form
        submit={submit}
        onSubmit={async ({ name, password }) => {
          await auth
            .post('/auth/links/use', {
              body: {
                token,
                ...(name !== undefined && { name: name.trim() }),
                ...(password && { password }),
              },
            })
            .catch(async (refusal) => {
              // Used or replaced since it was opened: the page says so, and leads to another one.
              if (GuildhallError.is(refusal, 'link_unusable')) await link.refetch();
              throw refusal;
            });
          await sessionChanged();
          // The sign-in asks for a second factor if there is one, or else leads on at once.
          await navigate({ to: '/sign-in', replace: true });
        }}
      >
        {purpose === 'sign_up' && (
          <TextField name="name" label="Your name" autoComplete="name" dir="auto" required />
        )}
        {takes !== 'none' && (
          <>
            {/* For password managers: which account the password is of. */}
            <input type="email" autoComplete="username" value={email} readOnly hidden />
            <TextField
              name="password"
              label={takes === 'optional' ? 'Your first password (optional)' : 'New password'}
              type="password"
              autoComplete="new-password"
              minLength={8}
              required={takes === 'required'}
              hint={`At least 8 characters. Three or four words that have nothing to do with each other are good.${takes === 'optional' && factor !== 'unknown' ? ' With it you come back without a link.' : ''}`}
            />
          </>
        )}
      </Form>
    </Frame>
  );
}

/**
 * For someone whose account demands a second factor that this server does not have: what the link is
 * worth, and what they need besides it.
 */
function UnknownFactor({ purpose }: { purpose: keyof typeof TEXTS }): ReactNode {
  return (
    <p>
      Your account was brought here with a second factor that this server does not know, so a
      password alone does not open it.{' '}
      {purpose === 'sign_in'
        ? 'This link does: set up an authenticator app under Security then, so that you can come back.'
        : 'Neither does this link: ask the operator of the server for a sign-in link, and then set up an authenticator app under Security.'}
    </p>
  );
}
