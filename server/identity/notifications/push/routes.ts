import type { Route } from '../../../http/route.ts';
import { deletePushSubscription } from './delete-push-subscription.ts';
import { getPush } from './get-push.ts';
import type { PushServices } from './push-services.ts';
import { savePushSubscription } from './save-push-subscription.ts';

export const pushRoutes = (services: PushServices): Route[] => [
  getPush,
  savePushSubscription(services),
  deletePushSubscription,
];
