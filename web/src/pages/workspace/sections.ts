import type { PageIconName } from '../../ui/page-icon.tsx';

/** A page of a workspace; `needs` is the operation without which it is of no use. */
interface WorkspaceSection {
  to: string;
  name: string;
  needs?: string;
}

/** The pages of a workspace under a few heads. A head leads to its first page that is of use. */
export const HEADS: readonly {
  name: string;
  icon: PageIconName;
  sections: readonly WorkspaceSection[];
}[] = [
  { name: 'Overview', icon: 'home', sections: [{ to: '/workspaces/$org', name: 'Overview' }] },
  {
    name: 'People',
    icon: 'people',
    sections: [
      { to: '/workspaces/$org/members', name: 'Members' },
      { to: '/workspaces/$org/teams', name: 'Teams' },
      {
        to: '/workspaces/$org/invitations',
        name: 'Invitations',
        needs: 'list_pending_invitations',
      },
    ],
  },
  {
    name: 'Billing',
    icon: 'card',
    sections: [{ to: '/workspaces/$org/billing', name: 'Billing', needs: 'get_workspace_balance' }],
  },
  { name: 'Usage', icon: 'chart', sections: [{ to: '/workspaces/$org/usage', name: 'Usage' }] },
  {
    name: 'Settings',
    icon: 'settings',
    sections: [
      { to: '/workspaces/$org/settings', name: 'General', needs: 'update_workspace' },
      { to: '/workspaces/$org/roles', name: 'Roles' },
      {
        to: '/workspaces/$org/service-accounts',
        name: 'Service accounts',
        needs: 'list_service_accounts',
      },
      { to: '/workspaces/$org/webhooks', name: 'Webhooks', needs: 'list_workspace_webhooks' },
      { to: '/workspaces/$org/audit', name: 'Audit trail', needs: 'list_audit_events' },
      { to: '/workspaces/$org/danger', name: 'Leave or delete' },
    ],
  },
];
