import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { queries } from '../data/queries.ts';
import { sessionQuery } from '../data/session.ts';
import { lazyPage } from './lazy-page.ts';

export const root = createRootRoute({ component: Outlet });

/** Everything behind the sign-in: who is not signed in gets there, and then back. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyPage(() => import('../shell/shell.tsx'), 'Shell'),
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (!session.signed_in || session.pending)
      throw redirect({ to: '/sign-in', search: { return_to: location.href } });
  },
});
