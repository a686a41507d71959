import type { AgentCatalog } from '../catalog/agent-fields.ts';
import type { BillingMode, Values } from './settings.ts';

export interface Billing {
  mode: BillingMode;
  /** Whether what is added to balances is no money: by test cards, of the sandbox or of Stripe. */
  testMoney: boolean;
}

/** What keeps a process that moves money from starting while no one has decided how. */
export const UNDECIDED =
  'BILLING must be set, because the catalog has models that cost real money and there is no ' +
  'STRIPE_SECRET_KEY: `stripe` charges cards (set STRIPE_SECRET_KEY), with `credits` you grant ' +
  'them by `guildhall credits grant`, and with `off` nothing is charged and costs are only counted';

/** Whether the operator pays for a model: without a program it is the sandbox agent's, which has none. */
export const costsRealMoney = ({ models }: AgentCatalog): boolean =>
  [...models.values()].some(({ launch }) => launch !== undefined);

/** Both parts are undefined where nothing says so: what they need is asked by `requireBilling`. */
export function billing(
  values: Values,
  agents: AgentCatalog,
  { faults, warnings }: { faults: string[]; warnings: string[] },
) {
  const stripe = stripeOf(values, faults);
  const costsMoney = costsRealMoney(agents);
  const mode = values.BILLING ?? (stripe ? 'stripe' : costsMoney ? undefined : 'sandbox');
  const testKey = stripe !== undefined && modeOf(stripe.secretKey) === 'test';
  if (mode === 'stripe' && stripe === undefined)
    faults.push('STRIPE_SECRET_KEY must be set: BILLING is stripe');
  if (mode === 'sandbox' && costsMoney)
    faults.push(
      'BILLING must not be sandbox while the catalog has models that cost real money: test cards ' +
        'would pay for them. Set stripe, credits or off',
    );
  else if (mode === 'sandbox' && stripe !== undefined)
    faults.push(
      'BILLING must not be sandbox while there is a STRIPE_SECRET_KEY: remove one of them',
    );
  if (mode === 'stripe' && testKey && costsMoney)
    warnings.push(
      "STRIPE_SECRET_KEY is of Stripe's test mode, and the catalog has models that cost real " +
        'money: whoever may add funds spends yours with a test card. Set the live key, or BILLING ' +
        'to credits or off',
    );
  const testMoney = mode === 'sandbox' || (mode === 'stripe' && testKey);
  const billing: Billing | undefined = mode && { mode, testMoney };
  return {
    /** How work is paid for; undefined where no one has decided: see `requireBilling`. */
    billing,
    /** With `credits` and `off`, it only follows what was charged before. */
    stripe,
  };
}

const modeOf = (key: string): string | undefined => /^[srp]k_(test|live)_/.exec(key)?.[1];

function stripeOf(values: Values, faults: string[]) {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: apiBase,
    STRIPE_TIMEOUT_MS: timeoutMs,
  } = values;
  if (secretKey === undefined) {
    if (webhookSecret ?? apiBase ?? publishableKey)
      faults.push(
        'STRIPE_SECRET_KEY must be set too: without it the other STRIPE_ settings do nothing',
      );
    return undefined;
  }
  if (!/^(sk|rk)_\w{4,}$/.test(secretKey))
    faults.push('STRIPE_SECRET_KEY must be a secret key: sk_… or rk_…');
  const mode = modeOf(secretKey);
  if (publishableKey !== undefined && !/^pk_\w{4,}$/.test(publishableKey))
    faults.push('STRIPE_PUBLISHABLE_KEY must be a publishable key: pk_…');
  else if (mode !== undefined && publishableKey?.startsWith(`pk_${mode}_`) === false)
    faults.push(`STRIPE_PUBLISHABLE_KEY must be of the same mode as STRIPE_SECRET_KEY: ${mode}`);
  /** The publishable key is what browsers need to save a card and to confirm a charge. */
  return { secretKey, publishableKey, webhookSecret, apiBase, timeoutMs };
}
