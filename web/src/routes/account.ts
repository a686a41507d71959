import { createRoute } from '@tanstack/react-router';
import { texts } from '../search.ts';
import { lazyPage } from './lazy-page.ts';
import { billing, usage } from './money.ts';
import { signedIn } from './signed-in.ts';

/** What is loaded together; also for pages elsewhere that few people open. */
export const accountPages = () => import('../pages/account/pages.ts');

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: texts('error'),
  component: lazyPage(() => import('../pages/account/account.tsx'), 'AccountPage'),
});

type Name = keyof Awaited<ReturnType<typeof accountPages>>;

const page = <const Path extends string>(path: Path, name: Name) =>
  createRoute({
    getParentRoute: () => account,
    path,
    component: lazyPage(accountPages, name),
  });

const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  component: lazyPage(() => import('../pages/account/security.tsx'), 'Security'),
});

/** Where `/oauth/authorize` leads; the page reads its query itself, as it was sent. */
export const connect = createRoute({
  getParentRoute: () => signedIn,
  path: '/connect',
  component: lazyPage(accountPages, 'Connect'),
});

const stripe = createRoute({
  getParentRoute: () => account,
  path: 'stripe',
  validateSearch: texts('setup', 'charge'),
  component: lazyPage(() => import('../pages/billing/pages.ts'), 'StripePage'),
});

const ownBilling = createRoute({ getParentRoute: () => account, ...billing });
const ownUsage = createRoute({ getParentRoute: () => account, ...usage });

/** The pages of a person's own account. */
export const accountRoutes = account.addChildren([
  page('/', 'Profile'),
  security,
  page('/keys', 'Keys'),
  page('/sessions', 'Sessions'),
  page('/notifications', 'Notifications'),
  page('/connections', 'Connections'),
  page('/activity', 'Activity'),
  ownBilling,
  ownUsage,
  stripe,
]);
