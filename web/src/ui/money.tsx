import type { ReactNode } from 'react';

/** An amount in USD as the API wrote it: all its decimals, with separators of thousands. */
export function Money({ amount }: { amount: string | number }): ReactNode {
  const [, sign = '', whole = '0', rest = ''] = /^(-?)(\d+)(.*)$/.exec(String(amount)) ?? [];
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return (
    <span className="whitespace-nowrap">
      {sign === '-' ? '−' : ''}${grouped}
      {(rest === '' ? '.' : rest).padEnd(3, '0')}
    </span>
  );
}
