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

/** Stripe's script is missing: the network, or something in the browser, has blocked it. */
export class StripeMissing extends Error {}

/** Stripe, for the operator's account. Rejects with StripeMissing. */
export async function loadStripe(publishableKey: string): Promise<Stripe> {
  if (window.Stripe === undefined)
    await new Promise((loaded, failed) => {
      const script = document.createElement('script');
      script.src = SCRIPT;
      script.onload = loaded;
      script.onerror = () => failed(new StripeMissing(`${SCRIPT} was not loaded`));
      document.head.append(script);
    });
  if (window.Stripe === undefined) throw new StripeMissing(`${SCRIPT} holds no Stripe`);
  return window.Stripe(publishableKey);
}
