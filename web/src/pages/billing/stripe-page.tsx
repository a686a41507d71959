import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmCharge } from './confirm-charge.tsx';
import { NewCard } from './new-card.tsx';

/**
 * The one address whose content policy allows Stripe, so it is always loaded anew: a card is entered
 * here, or a charge confirmed.
 */
export function StripePage(): ReactNode {
  const { charge } = useSearch({ strict: false }) as { charge?: string };
  return charge === undefined ? <NewCard /> : <ConfirmCharge />;
}
