import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useMayCreate } from '../../data/config.ts';
import { inboxQuery, projectsQuery } from '../../data/lists.ts';
import { leaveNotice, noticeQuery } from '../../data/notice.ts';
import { sessionQuery } from '../../data/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { lazily } from '../../ui/lazily.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { AtWork } from './at-work.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Inbox } from './inbox.tsx';
import { Invitations } from './invitations.tsx';
import { Projects, Workspaces } from './places.tsx';

// Forms would be a tenth of what the first page loads.
const NewProject = lazily(async () => (await import('../project/new-project.tsx')).NewProject);
const NewTask = lazily(async () => (await import('../project/tasks.tsx')).NewTask);
const AskPush = lazily(async () => (await import('./ask-push.tsx')).default);
const NewWorkspace = lazily(async () => (await import('./new-workspace.tsx')).NewWorkspace);

/** A reminder to someone who could not sign in again without a link. */
function OnlyByLink(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  if (session?.missing === undefined) return null;
  return (
    <p className="rounded-box border border-line bg-waiting-tint p-3">
      {session.missing === 'password'
        ? 'Only a link signs you in. '
        : 'Your password alone does not sign you in. '}
      <Link to="/account/security" className="text-link underline">
        {session.missing === 'password' ? 'Set a password' : 'Set up a second factor'}
      </Link>
      , so that you can come back.
    </p>
  );
}

/** Where the person may begin a task, the field for it. */
function TaskFromHere(): ReactNode {
  const { data } = useQuery(projectsQuery);
  if (!data?.some(({ available_actions }) => available_actions.includes('create_task')))
    return null;
  return (
    <Suspense fallback={<div className="h-38" />}>
      <NewTask />
    </Suspense>
  );
}

/** Once something has waited, whether this browser may tell it: never before, and not again. */
function Ask(): ReactNode {
  const { data } = useInfiniteQuery(inboxQuery);
  const undecided = 'PushManager' in window && Notification.permission === 'default';
  if (!undecided || !data?.pages[0]?.items.length) return null;
  return (
    <Suspense>
      <AskPush />
    </Suspense>
  );
}

/** The first page: what waits for the person, and where they can go. */
export function Home(): ReactNode {
  const { create, inbox } = useSearch({ from: '/signed-in/' });
  const notice = useQuery(noticeQuery);
  const navigate = useNavigate();
  const may = useMayCreate();
  const close = () => void navigate({ to: '/', search: {}, replace: true });
  return (
    <Page
      title="Home"
      actions={
        <>
          {may.workspaces && (
            <ButtonLink to="/" search={{ create: 'workspace' }} icon="plus">
              New workspace
            </ButtonLink>
          )}
          {may.personal && (
            <ButtonLink to="/" search={{ create: 'project' }} icon="plus">
              New personal project
            </ButtonLink>
          )}
        </>
      }
    >
      {notice.data !== null && (
        <Notice onClose={() => leaveNotice(null)}>
          <span dir="auto">{notice.data}</span>
        </Notice>
      )}
      <OnlyByLink />
      <Invitations />
      <FirstSteps />
      <TaskFromHere />
      <Inbox aside={inbox === 'set-aside'} />
      <Ask />
      <AtWork />
      <Workspaces />
      <Projects />
      <Suspense>
        {create === 'workspace' && <NewWorkspace onClose={close} />}
        {create === 'project' && <NewProject onClose={close} />}
      </Suspense>
    </Page>
  );
}
