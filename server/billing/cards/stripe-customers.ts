import type Stripe from 'stripe';
import type { CustomerStore } from './customers.ts';
import { type Called, call } from './stripe-client.ts';
import { isMissing } from './stripe-outcomes.ts';

/** The customer named in the request does not exist, so nothing was executed. */
export const isCustomerGone = (error: unknown): boolean => isMissing(error, 'customer');

/** Makes a call that names the customer of an account, who is created if there is none. */
export type ForCustomer = <T>(
  accountId: string,
  work: (customer: string) => Promise<Called<T>>,
) => Promise<Called<T>>;

/** The customers at Stripe. Only an error of the call itself can be about a missing customer. */
export function customersAt(stripe: Stripe, customers: CustomerStore): ForCustomer {
  return async (accountId, work) => {
    // A separate call, because creating the customer says nothing about the work.
    const customer = await call(() => customerOf(accountId));
    if (!customer.ok) return customer;
    const done = await work(customer.value);
    if (done.ok || !isCustomerGone(done.error)) return done;
    // Nothing was done: the customer was deleted, or the key now belongs to another Stripe account.
    // Try once more with a new customer.
    const another = await call(() => customerOf(accountId, customer.value));
    return another.ok ? work(another.value) : another;
  };

  // `gone`: a customer that Stripe does not know. Under the key that created it, Stripe would only
  // return it again.
  async function customerOf(accountId: string, gone?: string): Promise<string> {
    if (gone !== undefined) await customers.forget(accountId, gone);
    const known = await customers.get(accountId);
    if (known !== undefined) return known;
    const idempotencyKey = `account:${accountId}:customer${gone === undefined ? '' : `:instead_of:${gone}`}`;
    const made = await stripe.customers.create(
      { metadata: { account_id: accountId } },
      { idempotencyKey },
    );
    return customers.put(accountId, made.id);
  }
}
