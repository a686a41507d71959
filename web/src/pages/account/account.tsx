import { Outlet, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { providerError } from '../sign-in/provider-errors.ts';

/** The frame of the pages about the person who is signed in. */
export function AccountPage(): ReactNode {
  const { error } = useSearch({ from: '/signed-in/account' });
  return (
    <Page title="Your account">
      <Tabs
        label="Account"
        tabs={[
          { to: '/account', name: 'Profile' },
          { to: '/account/security', name: 'Security' },
          { to: '/account/keys', name: 'API keys' },
          { to: '/account/sessions', name: 'Sessions' },
          { to: '/account/connections', name: 'Connections' },
          { to: '/account/billing', name: 'Billing' },
          { to: '/account/usage', name: 'Usage' },
          { to: '/account/activity', name: 'Activity' },
        ]}
        params={{}}
      />
      {error !== undefined && <Refusal>{providerError(error)}</Refusal>}
      <Outlet />
    </Page>
  );
}
