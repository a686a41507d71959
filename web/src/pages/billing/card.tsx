import type { ReactNode } from 'react';
import type { Card } from '../../data/billing.ts';
import { Status } from '../../ui/status.tsx';

/** `Visa ending in 4242` */
export const cardName = (brand: string, last4: string): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`;

/** When a card ends, and whether it has. */
export function Expiry({
  card,
}: {
  card: Pick<Card, 'exp_month' | 'exp_year' | 'expired'>;
}): ReactNode {
  const { exp_month, exp_year, expired } = card;
  if (exp_month === undefined || exp_year === undefined) return 'unknown';
  const month = `${String(exp_month).padStart(2, '0')}/${exp_year}`;
  return expired ? <Status state="wrong">Expired {month}</Status> : month;
}
