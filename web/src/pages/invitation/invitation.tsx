import type { components } from '@guildhall/client';
import { GuildhallError } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { invitationAnswered, myInvitationsQuery } from '../../data/invitations.ts';
import { leaveNotice } from '../../data/notice.ts';
import { signOut, useUser } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/page.tsx';
import { ColorName } from '../../ui/people.tsx';
import { Time } from '../../ui/time.tsx';

type Received = components['schemas']['ReceivedInvitation'];

/** The page that the mail of an invitation leads to: see it, accept it, decline it. */
export function InvitationPage(): ReactNode {
  const { id } = useParams({ from: '/signed-in/invitations/$id' });
  const { token } = useSearch({ from: '/signed-in/invitations/$id' });
  const user = useUser();
  const navigate = useNavigate();
  const router = useRouter();
  const invitations = useQuery(myInvitationsQuery);
  const [failure, setFailure] = useState<unknown>();
  if (invitations.error)
    return (
      <Page title="Invitation">
        <Failure error={invitations.error} retry={() => void invitations.refetch()} />
      </Page>
    );
  if (invitations.data === undefined) return <Loading />;
  const invitation = invitations.data.find((each) => each.id === id);
  const name = invitation?.organization_name ?? invitation?.project_name;

  async function accept(): Promise<void> {
    const joined = await guildhall.post('/api/invitations/{invitation_id}/accept', {
      invitation_id: id,
      body: token === undefined ? {} : { token },
    });
    await invitationAnswered();
    if (joined.organization_id !== undefined)
      await navigate({ to: '/workspaces/$org', params: { org: joined.organization_id } });
    else if (joined.project_id !== undefined)
      await navigate({ to: '/projects/$project', params: { project: joined.project_id } });
  }
  async function decline(): Promise<void> {
    await guildhall.post('/api/invitations/{invitation_id}/decline', { invitation_id: id });
    leaveNotice(`You have declined ${name ?? 'the invitation'}.`);
    await navigate({ to: '/', search: {} });
    await invitationAnswered();
  }
  async function signInAsOther(): Promise<void> {
    const { href } = router.state.location;
    await signOut();
    location.assign(`/sign-in?${new URLSearchParams({ return_to: href })}`);
  }
  return (
    <Page title={name === undefined ? 'Invitation' : `Invitation to ${name}`}>
      {invitation === undefined ? (
        <p className="max-w-prose">
          You are signed in as <strong>{user.email}</strong>, and this invitation is not open for
          that address. It may have been sent to another one: sign out, and sign in with the address
          that was invited. It may also have been answered, revoked, or have expired.
        </p>
      ) : (
        <Details invitation={invitation} />
      )}
      {failure !== undefined && <Failure error={failure} />}
      {GuildhallError.is(failure, 'two_factor_required') && <TwoFactorNeeded />}
      <div className="flex flex-wrap gap-2">
        <ActButton
          look={invitation === undefined ? 'plain' : 'primary'}
          onFailure={setFailure}
          act={accept}
        >
          {invitation === undefined ? 'Try to accept it' : 'Accept'}
        </ActButton>
        {invitation === undefined ? (
          <ActButton onFailure={setFailure} act={signInAsOther}>
            Sign in with another address
          </ActButton>
        ) : (
          <ActButton onFailure={setFailure} act={decline}>
            Decline
          </ActButton>
        )}
      </div>
    </Page>
  );
}

function Details({ invitation }: { invitation: Received }): ReactNode {
  const { kind, invited_by_name, role_name, role_color, expires_at } = invitation;
  return (
    <>
      <dl className="grid max-w-lg grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        {invited_by_name !== '' && (
          <>
            <dt className="text-muted">From</dt>
            <dd dir="auto">{invited_by_name}</dd>
          </>
        )}
        <dt className="text-muted">Kind</dt>
        <dd>{kind === 'workspace' ? 'Workspace' : 'Project'}</dd>
        <dt className="text-muted">Your role</dt>
        <dd>
          <ColorName name={role_name} color={role_color} />
        </dd>
        <dt className="text-muted">Ends</dt>
        <dd>
          <Time at={expires_at} />
        </dd>
      </dl>
      {invitation.require_2fa_before_join && (
        <p className="max-w-prose text-muted">
          This workspace requires two-factor authentication of its members.
        </p>
      )}
    </>
  );
}

function TwoFactorNeeded(): ReactNode {
  return (
    <p>
      <Link to="/account" className="text-link underline">
        Enable a second factor in your account
      </Link>
      , then open this invitation again.
    </p>
  );
}
