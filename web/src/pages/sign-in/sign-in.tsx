import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { sessionQuery } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Frame } from './frame.tsx';
import { Invited, invitationIn } from './invited.tsx';
import { localPath } from './local-path.ts';
import { MailLink } from './mail-link.tsx';
import { SecondFactor } from './second-factor.tsx';
import { WaysIn } from './ways-in.tsx';

/** Signs in, step by step as the session needs it, and then goes where the visitor came from. */
export function SignIn(): ReactNode {
  const { return_to, by } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const session = useQuery(sessionQuery);
  const done = session.data?.signed_in === true && session.data.pending !== true;
  useEffect(() => {
    if (done) router.history.replace(localPath(return_to, location.origin));
  }, [done, return_to, router]);
  if (session.error)
    return (
      <Frame title="Sign in">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Frame>
    );
  if (session.data === undefined || done)
    return (
      <main>
        <Loading />
      </main>
    );
  const { pending, user, second_factors = [], sign_in } = session.data;
  if (pending && user) return <SecondFactor email={user.email} factors={second_factors} />;
  const link = invitationIn(return_to);
  if (link !== undefined) return <Invited link={link} offer={sign_in} />;
  return by === 'mail' ? <MailLink offer={sign_in} /> : <WaysIn offer={sign_in} />;
}
