/** What this page uses of Stripe's script. Only `/account/stripe` may load it. */

const SCRIPT = 'https://js.stripe.com/v3/';

interface Elements {
  create(type: 'payment'): { mount(at: HTMLElement): void; destroy(): void };
}

export interface Stripe {
  elements(options: { clientSecret: string; appearance: { theme: 'stripe' | 'night' } }): Elements;
  confirmSetup(options: {
    elements: Elements;
    confirmParams: { return_url: string };
    redirect: 'if_required';
  }): Promise<{ error?: { message?: string } }>;
  handleNextAction(options: { clientSecret: string }): Promise<{ error?: { message?: string } }>;
}

export type StripeElements = ReturnType<Stripe['elements']>;

declare global {
  interface Window {
    Stripe?: (publishableKey: string) => Stripe;
  }
}

/** Why Stripe cannot be used on this page, in words for its reader. */
export class StripeMissing extends Error {}

const NOT_LOADED =
  'The script of Stripe could not be loaded. Check the connection, and whether something blocks ' +
  'js.stripe.com.';
const NEEDS_HTTPS =
  'Stripe takes cards over HTTPS alone, and this page came without it. Open this server at an ' +
  'https:// address, or ask its operator for one.';

/** Stripe, for the operator's account. Rejects with StripeMissing. */
export async function loadStripe(publishableKey: string): Promise<Stripe> {
  // With a key for tests, it works over plain HTTP too.
  if (!isSecureContext && publishableKey.startsWith('pk_live_'))
    throw new StripeMissing(NEEDS_HTTPS);
  if (window.Stripe === undefined)
    await new Promise((loaded, failed) => {
      const script = document.createElement('script');
      script.src = SCRIPT;
      script.onload = loaded;
      script.onerror = () => failed(new StripeMissing(NOT_LOADED));
      document.head.append(script);
    });
  if (window.Stripe === undefined) throw new StripeMissing(NOT_LOADED);
  return window.Stripe(publishableKey);
}
