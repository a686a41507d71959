import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workspaceQuery } from '../../data/workspace.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/page.tsx';

/** The frame of a workspace's pages. */
export function WorkspacePage(): ReactNode {
  const { org } = useParams({ from: '/signed-in/workspaces/$org' });
  const workspace = useQuery(workspaceQuery(org));
  if (workspace.error)
    return (
      <Page title="Workspace">
        <Failure error={workspace.error} retry={() => void workspace.refetch()} />
      </Page>
    );
  if (workspace.data === undefined) return <Loading />;
  return (
    <Page title={workspace.data.name} lead={workspace.data.role_name}>
      <Outlet />
    </Page>
  );
}
