/** The pages of money and usage are loaded together: each file more is a name more in the shell. */
export { Usage } from '../usage/usage.tsx';
export { Billing, Funds } from './billing.tsx';
export { StripePage } from './stripe-page.tsx';
