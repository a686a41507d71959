import { Outlet, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useUser } from '../../data/session.ts';
import { Refusal } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { providerError } from '../sign-in/provider-errors.ts';

/** The frame of the pages about the person who is signed in. */
export function AccountPage(): ReactNode {
  const { error } = useSearch({ from: '/signed-in/account' });
  const { operator } = useUser();
  return (
    <Page title="Your account">
      <Tabs
        label="Account"
        tabs={[
          { to: '/account', name: 'Profile', icon: 'people' },
          { to: '/account/security', name: 'Security', icon: 'shield' },
          { to: '/account/keys', name: 'API keys', icon: 'key' },
          { to: '/account/sessions', name: 'Sessions', icon: 'clock' },
          { to: '/account/notifications', name: 'Notifications', icon: 'message' },
          { to: '/account/connections', name: 'Connections', icon: 'globe' },
          { to: '/account/billing', name: 'Billing', icon: 'card' },
          { to: '/account/usage', name: 'Usage', icon: 'chart' },
          { to: '/account/activity', name: 'Activity', icon: 'file' },
          ...(operator ? [{ to: '/operator', name: 'Operator', icon: 'shield' } as const] : []),
        ]}
        params={{}}
      />
      {error !== undefined && <Refusal>{providerError(error)}</Refusal>}
      <Outlet />
    </Page>
  );
}
