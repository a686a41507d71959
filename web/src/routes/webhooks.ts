import { texts } from '../search.ts';
import { lazyPage } from './lazy-page.ts';

/** The same page of webhooks, for a workspace and for a project. */
export const webhooks = {
  path: 'webhooks',
  validateSearch: texts('webhook'),
  component: lazyPage(() => import('../pages/project/pages.ts'), 'Webhooks'),
} as const;
