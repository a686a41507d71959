import { type ApiErrorKind, apiError } from '../../http/errors.ts';
import type { Route } from '../../http/route.ts';
import type { BillingMode } from '../../platform/config/config.ts';

const billingCredits = apiError(
  409,
  'billing_credits',
  'This server takes no cards, because its operator grants credits: ask them to grant some',
);
const billingOff = apiError(
  409,
  'billing_off',
  'This server takes no cards, because it charges nothing: costs are only counted',
);

/** Why no card is taken in this mode; undefined where cards are. */
export const cardRefusal = (mode: BillingMode | undefined): ApiErrorKind | undefined =>
  mode === 'credits' ? billingCredits : mode === 'off' ? billingOff : undefined;

/**
 * The operation, which needs cards: where none are taken, whoever may call it learns why, unless
 * `even` says that this request is allowed even so.
 */
export const needsCards = (
  route: Route,
  mode: BillingMode | undefined,
  even: (body: unknown) => boolean = () => false,
): Route => {
  const refusal = cardRefusal(mode);
  return {
    ...route,
    errors: [...route.errors, billingCredits, billingOff],
    handle: async (context) => {
      if (refusal === undefined || even(context.body)) return route.handle(context);
      await context.load();
      throw refusal();
    },
  };
};
