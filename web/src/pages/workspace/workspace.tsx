import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workspaceQuery } from '../../data/workspace.ts';
import { Loading } from '../../shell/loading.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** The pages of a workspace; `needs` is the operation without which one is of no use. */
const TABS: readonly { to: string; name: string; needs?: string }[] = [
  { to: '/workspaces/$org', name: 'Overview' },
  { to: '/workspaces/$org/members', name: 'Members' },
  { to: '/workspaces/$org/invitations', name: 'Invitations', needs: 'list_pending_invitations' },
  { to: '/workspaces/$org/teams', name: 'Teams' },
  { to: '/workspaces/$org/roles', name: 'Roles' },
  { to: '/workspaces/$org/billing', name: 'Billing', needs: 'get_workspace_balance' },
  { to: '/workspaces/$org/usage', name: 'Usage' },
  { to: '/workspaces/$org/audit', name: 'Audit trail', needs: 'list_audit_events' },
  { to: '/workspaces/$org/settings', name: 'Settings', needs: 'update_workspace' },
  { to: '/workspaces/$org/danger', name: 'Leave or delete' },
];

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
  const { name, role_name, available_actions } = workspace.data;
  return (
    <Page title={name} lead={`Workspace · ${role_name}`}>
      <Tabs
        label="Workspace"
        tabs={TABS.filter(({ needs }) => needs === undefined || available_actions.includes(needs))}
        params={{ org }}
      />
      <Outlet />
    </Page>
  );
}
