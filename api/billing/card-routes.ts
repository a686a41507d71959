import type { CardSetups } from './cards/card-setups.ts';
import { completeCardSetup } from './complete-card-setup.ts';
import { listPaymentMethods } from './list-payment-methods.ts';
import { setUpPaymentMethod } from './set-up-payment-method.ts';

/** The operations on saved cards. */
export const cardRoutes = (setups: CardSetups) => [
  listPaymentMethods,
  setUpPaymentMethod(setups),
  completeCardSetup(setups),
];
