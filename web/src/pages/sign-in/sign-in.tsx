import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';

export function SignIn(): ReactNode {
  return <Page title="Sign in">…</Page>;
}
