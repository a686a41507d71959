import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';

/** The frame of the pages about the person who is signed in. */
export function AccountPage(): ReactNode {
  return (
    <Page title="Your account">
      <Outlet />
    </Page>
  );
}
