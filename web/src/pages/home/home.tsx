import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { leaveNotice, noticeQuery } from '../../data/notice.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { NewProject } from '../project/new-project.tsx';
import { Inbox } from './inbox.tsx';
import { Invitations } from './invitations.tsx';
import { NewWorkspace } from './new-workspace.tsx';
import { Projects, Workspaces } from './places.tsx';

/** The first page: what waits for the person, and where they can go. */
export function Home(): ReactNode {
  const { create } = useSearch({ from: '/signed-in/' });
  const notice = useQuery(noticeQuery);
  const navigate = useNavigate();
  const close = () => void navigate({ to: '/', search: {}, replace: true });
  return (
    <Page
      title="Home"
      actions={
        <>
          <ButtonLink to="/" search={{ create: 'workspace' }} icon="plus">
            New workspace
          </ButtonLink>
          <ButtonLink to="/" search={{ create: 'project' }} icon="plus">
            New personal project
          </ButtonLink>
        </>
      }
    >
      {notice.data !== null && (
        <Notice onClose={() => leaveNotice(null)}>
          <span dir="auto">{notice.data}</span>
        </Notice>
      )}
      <Invitations />
      <Inbox />
      <Workspaces />
      <Projects />
      {create === 'workspace' && <NewWorkspace onClose={close} />}
      {create === 'project' && <NewProject onClose={close} />}
    </Page>
  );
}
