import type { components } from '@guildhall/client';
import { guildhall } from '../../data/api.ts';
import type { Scope } from '../../data/billing.ts';

export type TopUp = components['schemas']['AttendedTopUp'];

/** A charge takes as long as the bank does. */
export const CHARGE_TIMEOUT_MS = 60_000;

/** A request to charge a card. With its key, the same request is the same charge. */
export interface TopUpRequest {
  org: Scope;
  key: string;
  body: { amount: string; payment_method_id: string };
}

export const beginTopUp = ({ org, key, body }: TopUpRequest) => {
  const options = { idempotencyKey: key, timeout: CHARGE_TIMEOUT_MS };
  return org === undefined
    ? guildhall.post('/api/billing/top-ups', { body }, options)
    : guildhall.post('/api/organizations/{org_id}/billing/top-ups', { org_id: org, body }, options);
};

/** Cancels it, unless it was confirmed before. */
export const cancelTopUp = (top_up_id: string) =>
  guildhall.post(
    '/api/billing/top-ups/{top_up_id}/cancel',
    { top_up_id },
    { timeout: CHARGE_TIMEOUT_MS },
  );

const NAME = 'guildhall.charge';

/**
 * Goes to the page that may load Stripe, for the bank's confirmation. The request goes with it in
 * this tab's own store, and its answer is read again by its key, so that no secret is in an address.
 */
export function confirmAtStripe(request: TopUpRequest): void {
  sessionStorage.setItem(NAME, JSON.stringify(request));
  location.assign('/account/stripe?charge=open');
}

/** The request that this tab was sent with, once. */
export function takeRequest(): TopUpRequest | undefined {
  const text = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  return text === null ? undefined : (JSON.parse(text) as TopUpRequest);
}
