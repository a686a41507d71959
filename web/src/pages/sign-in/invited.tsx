import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { auth, guildhall } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { sessionChanged } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { Frame } from './frame.tsx';
import { MailLink } from './mail-link.tsx';
import { type Offer, WaysIn } from './ways-in.tsx';

/** What the address of an invitation holds. */
interface InvitationLink {
  invitation_id: string;
  token: string;
  /** Of the link in the mail alone: it stands for the address. */
  proof?: string;
}

type Invitation = components['schemas']['InvitationLink'];

/** The invitation that a visitor comes from, if it is one with its token. */
export function invitationIn(returnTo: string | undefined): InvitationLink | undefined {
  const [, invitation_id, query] = /^\/invitations\/([\w-]+)\?(.+)$/.exec(returnTo ?? '') ?? [];
  const search = new URLSearchParams(query);
  const [token, proof] = [search.get('token'), search.get('proof')];
  if (invitation_id === undefined || token === null) return undefined;
  return { invitation_id, token, ...(proof !== null && { proof }) };
}

/** Who is invited by whom to what, and the one step that leads there. */
export function Invited({ link, offer }: { link: InvitationLink; offer: Offer }): ReactNode {
  const { by } = useSearch({ from: '/sign-in' });
  const [known, setKnown] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['invited', link],
    queryFn: ({ signal }) => auth.post('/auth/invitations/look', { body: link }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) {
    const lead = <Failure error={error} />;
    return by === 'mail' ? (
      <MailLink offer={offer} lead={lead} />
    ) : (
      <WaysIn offer={offer} lead={lead} />
    );
  }
  if (data === undefined)
    return (
      <main>
        <Loading />
      </main>
    );
  const { invited_by_name, kind, name, role_name, email, sign_up } = data;
  const lead = (
    <p>
      <span dir="auto">{invited_by_name.trim() || 'Someone'}</span> has invited{' '}
      <strong dir="auto">{email}</strong> to the {kind} <strong dir="auto">{name}</strong>, as{' '}
      {role_name}.
    </p>
  );
  if (by === 'mail') return <MailLink offer={offer} lead={lead} email={email} />;
  if (!sign_up || known)
    return <WaysIn offer={offer} title={`Sign in to join ${name}`} lead={lead} email={email} />;
  return (
    <Frame title={`Join ${name}`}>
      {lead}
      <SignUp link={link} invitation={data} />
      <div>
        <Button onClick={() => setKnown(true)}>Sign in another way</Button>
      </div>
    </Frame>
  );
}

/** The account and the workspace in one step: the link of the mail has proven the address. */
function SignUp({
  link: { invitation_id, token, proof = '' },
  invitation: { name: place, email },
}: {
  link: InvitationLink;
  invitation: Invitation;
}): ReactNode {
  const router = useRouter();
  return (
    <Form
      submit="Create the account and join"
      onSubmit={async ({ name = '', password = '' }) => {
        const made = await auth.post('/auth/invitations/sign-up', {
          body: { invitation_id, proof },
        });
        await auth.post('/auth/links/use', {
          body: { token: made.token, name: name.trim(), password },
        });
        // Where it is refused, for example without a second factor, its own page says what to do.
        const joined = await guildhall
          .post('/api/invitations/{invitation_id}/accept', { invitation_id, body: { token } })
          .then(
            ({ organization_id, project_id }) =>
              organization_id === undefined
                ? `/projects/${project_id}`
                : `/workspaces/${organization_id}`,
            () => `/invitations/${invitation_id}?${new URLSearchParams({ token })}`,
          );
        // The sign-in leads on as soon as it knows of the session.
        router.history.replace(`/sign-in?${new URLSearchParams({ return_to: joined })}`);
        await sessionChanged();
      }}
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField name="name" label="Your name" autoComplete="name" dir="auto" required />
      <TextField
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        required
        hint={`At least 8 characters. With it and ${email} you come back to ${place}.`}
      />
    </Form>
  );
}
