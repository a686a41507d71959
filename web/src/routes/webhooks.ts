import { lazyRouteComponent } from '@tanstack/react-router';
import { texts } from '../search.ts';

/** The same page of webhooks, for a workspace and for a project. */
export const webhooks = {
  path: 'webhooks',
  validateSearch: texts('webhook'),
  component: lazyRouteComponent(() => import('../pages/project/pages.ts'), 'Webhooks'),
} as const;
