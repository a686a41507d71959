import { texts } from '../search.ts';
import { lazyPage } from './lazy-page.ts';

/** The same pages of money, for a person and for a workspace. */
export const billing = {
  path: 'billing',
  validateSearch: texts('view', 'type', 'from', 'to'),
  component: lazyPage(() => import('../pages/billing/pages.ts'), 'Billing'),
} as const;

export const usage = {
  path: 'usage',
  validateSearch: texts('by', 'and', 'from', 'to'),
  component: lazyPage(() => import('../pages/billing/pages.ts'), 'Usage'),
} as const;
