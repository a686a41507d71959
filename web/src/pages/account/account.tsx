import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** The frame of the pages about the person who is signed in. */
export function AccountPage(): ReactNode {
  return (
    <Page title="Your account">
      <Tabs
        label="Account"
        tabs={[
          { to: '/account', name: 'Profile' },
          { to: '/account/security', name: 'Security' },
          { to: '/account/keys', name: 'API keys' },
          { to: '/account/sessions', name: 'Sessions' },
        ]}
        params={{}}
      />
      <Outlet />
    </Page>
  );
}
