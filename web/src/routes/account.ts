import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type Search, text, texts } from '../search.ts';
import { billing, usage } from './money.ts';
import { signedIn } from './signed-in.ts';

/** What is loaded together; also for pages elsewhere that few people open. */
export const accountPages = () => import('../pages/account/pages.ts');

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  validateSearch: ({ error }: Search): { error?: string } => ({ error: text(error) }),
  component: lazyRouteComponent(() => import('../pages/account/account.tsx'), 'AccountPage'),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(accountPages, 'Profile'),
});

const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  component: lazyRouteComponent(() => import('../pages/account/security.tsx'), 'Security'),
});

const keys = createRoute({
  getParentRoute: () => account,
  path: '/keys',
  component: lazyRouteComponent(accountPages, 'Keys'),
});

const sessions = createRoute({
  getParentRoute: () => account,
  path: '/sessions',
  component: lazyRouteComponent(accountPages, 'Sessions'),
});

const notifications = createRoute({
  getParentRoute: () => account,
  path: '/notifications',
  component: lazyRouteComponent(accountPages, 'Notifications'),
});

const connections = createRoute({
  getParentRoute: () => account,
  path: '/connections',
  component: lazyRouteComponent(accountPages, 'Connections'),
});

const activity = createRoute({
  getParentRoute: () => account,
  path: '/activity',
  component: lazyRouteComponent(accountPages, 'Activity'),
});

const stripe = createRoute({
  getParentRoute: () => account,
  path: 'stripe',
  validateSearch: texts('setup', 'charge'),
  component: lazyRouteComponent(() => import('../pages/billing/pages.ts'), 'StripePage'),
});

const ownBilling = createRoute({ getParentRoute: () => account, ...billing });
const ownUsage = createRoute({ getParentRoute: () => account, ...usage });

/** The pages of a person's own account. */
export const accountRoutes = account.addChildren([
  profile,
  security,
  keys,
  sessions,
  notifications,
  connections,
  activity,
  ownBilling,
  ownUsage,
  stripe,
]);
