import type { AgentCatalog } from '../catalog/agent-fields.ts';
import type { ReadSettings, Values } from './read-settings.ts';
import { oneOf, secretText, text, webAddress, wholeNumber } from './readers.ts';
import { optional, setting } from './setting.ts';

/** How work is paid for (docs/money.md). */
export const BILLING_MODES = ['stripe', 'credits', 'off', 'sandbox'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** The environment variables that say how work is paid for. */
export const BILLING_SETTINGS = {
  BILLING: optional(
    oneOf(BILLING_MODES),
    'how work is paid for: `stripe` charges cards, with `credits` you grant them, `off` only ' +
      'counts costs, `sandbox` takes test cards ([money](money.md#how-work-is-paid-for)). Without ' +
      'it `stripe` if there is a `STRIPE_SECRET_KEY`, else `sandbox` while every model of the ' +
      'catalog is the sandbox agent’s; otherwise the start ends',
    '`stripe` or `sandbox`',
  ),
  STRIPE_SECRET_KEY: optional(
    secretText,
    'charges real cards through Stripe. A database with top-ups by Stripe is refused without it, ' +
      'unless `BILLING` is `credits` or `off` and none of them is open',
  ),
  STRIPE_PUBLISHABLE_KEY: optional(
    text,
    'lets browsers save a card and confirm a charge with Stripe’s script; without it, people ' +
      'cannot save cards',
  ),
  STRIPE_WEBHOOK_SECRET: optional(
    secretText,
    'serves `POST /webhooks/stripe`, whose events are signed with this secret',
  ),
  STRIPE_API_BASE: optional(webAddress, 'another address of Stripe’s API', 'Stripe’s own'),
  STRIPE_TIMEOUT_MS: setting(wholeNumber(100, 120_000), '20000', 'for one call to Stripe’s API'),
};

/** `timeoutMs` is for one call. */
export interface Stripe {
  secretKey: string;
  /** What browsers need to save a card and to confirm a charge. */
  publishableKey: string | undefined;
  webhookSecret: string | undefined;
  apiBase: string | undefined;
  timeoutMs: number;
}

export interface Billing {
  mode: BillingMode;
  /** Whether what is added to balances is no money: by test cards, of the sandbox or of Stripe. */
  testMoney: boolean;
}

/** Both are undefined where nothing says so: what they need is asked by `requireBilling`. */
interface BillingConfig {
  billing: Billing | undefined;
  stripe: Stripe | undefined;
}

/** What keeps a process that moves money from starting while no one has decided how. */
export const UNDECIDED =
  'BILLING must be set, because the catalog has models that cost real money and there is no ' +
  'STRIPE_SECRET_KEY: `stripe` charges cards (set STRIPE_SECRET_KEY), with `credits` you grant ' +
  'them by `guildhall credits grant`, and with `off` nothing is charged and costs are only counted';

/** Whether the operator pays for a model: without a program it is the sandbox agent's, which has none. */
export const costsRealMoney = ({ models }: AgentCatalog): boolean =>
  [...models.values()].some(({ launch }) => launch !== undefined);

export function billing(
  values: Values,
  agents: AgentCatalog,
  { faults, warnings }: { faults: ReadSettings['faults']; warnings: string[] },
): BillingConfig {
  const stripe = stripeOf(values, faults);
  const costsMoney = costsRealMoney(agents);
  const mode = values.BILLING ?? (stripe ? 'stripe' : costsMoney ? undefined : 'sandbox');
  const testKey = stripe !== undefined && modeOf(stripe.secretKey) === 'test';
  if (mode === 'stripe' && stripe === undefined)
    faults.push('STRIPE_SECRET_KEY must be set: BILLING is stripe');
  if (mode === 'sandbox' && (costsMoney || stripe !== undefined))
    faults.push(
      costsMoney
        ? 'BILLING must not be sandbox while the catalog has models that cost real money: test ' +
            'cards would pay for them. Set stripe, credits or off'
        : 'BILLING must not be sandbox while there is a STRIPE_SECRET_KEY: remove one of them',
    );
  if (mode === 'stripe' && testKey && costsMoney)
    warnings.push(
      "STRIPE_SECRET_KEY is of Stripe's test mode, and the catalog has models that cost real " +
        'money: whoever may add funds spends yours with a test card. Set the live key, or BILLING ' +
        'to credits or off',
    );
  const testMoney = mode === 'sandbox' || (mode === 'stripe' && testKey);
  return { billing: mode && { mode, testMoney }, stripe };
}

const modeOf = (key: string): string | undefined => /^[srp]k_(test|live)_/.exec(key)?.[1];

function stripeOf(values: Values, faults: ReadSettings['faults']): Stripe | undefined {
  const secretKey = values.STRIPE_SECRET_KEY;
  const publishableKey = values.STRIPE_PUBLISHABLE_KEY;
  const webhookSecret = values.STRIPE_WEBHOOK_SECRET;
  const apiBase = values.STRIPE_API_BASE;
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
  return { secretKey, publishableKey, webhookSecret, apiBase, timeoutMs: values.STRIPE_TIMEOUT_MS };
}
