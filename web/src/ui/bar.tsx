import type { ReactNode } from 'react';
import { exactDollars } from './amount.ts';

/** How much of an amount is spent. */
export function Bar({ label, part, of }: { label: string; part: string; of: string }): ReactNode {
  const share = Math.min(Number(part) / Number(of), 1);
  return (
    <svg
      role="img"
      aria-label={`${label}: ${exactDollars(part)} of ${exactDollars(of)}`}
      viewBox="0 0 100 2"
      preserveAspectRatio="none"
      className="h-2 w-full max-w-lg rounded-full bg-raised"
    >
      <rect
        width={share * 100}
        height={2}
        className={share < 0.8 ? 'fill-accent' : 'fill-waiting'}
      />
    </svg>
  );
}
