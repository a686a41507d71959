import type { BillingMode } from '../platform/config/config.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { completeCardSetup } from './complete-card-setup.ts';
import { deletePaymentMethod } from './delete-payment-method.ts';
import { listPaymentMethods } from './list-payment-methods.ts';
import { listWorkspacePaymentMethods } from './list-workspace-payment-methods.ts';
import { makeDefaultPaymentMethod } from './make-default-payment-method.ts';
import { needsCards } from './mode/card-refusals.ts';
import { setUpPaymentMethod } from './set-up-payment-method.ts';
import { sharePaymentMethod } from './share-payment-method.ts';
import { unsharePaymentMethod } from './unshare-payment-method.ts';

/** The operations on saved cards; those that are saved can be seen and removed in every mode. */
export const cardRoutes = ({
  cardSetups,
  billingMode: mode,
}: {
  cardSetups: CardSetups;
  billingMode: BillingMode | undefined;
}) => [
  listPaymentMethods,
  needsCards(setUpPaymentMethod({ cardSetups }), mode),
  completeCardSetup({ cardSetups }),
  needsCards(makeDefaultPaymentMethod, mode),
  deletePaymentMethod,
  listWorkspacePaymentMethods,
  needsCards(sharePaymentMethod, mode),
  unsharePaymentMethod,
];
