import type { ReactNode } from 'react';
import { dollars, exactDollars } from './amount.ts';

/** An amount in USD as the API wrote it, with two decimals; with more, all of them are shown on hover. */
export function Money({ amount }: { amount: string | number }): ReactNode {
  const [shown, exact] = [dollars(amount), exactDollars(amount)];
  return (
    <span className="whitespace-nowrap" title={shown === exact ? undefined : exact}>
      {shown}
    </span>
  );
}
