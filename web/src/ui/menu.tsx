import { lazy, type ReactNode, Suspense } from 'react';
import { IconButton } from './button.tsx';
import { patiently } from './patiently.ts';

const MenuPopup = lazy(() => patiently(() => import('./menu-popup.tsx')));

/** An act of a menu. */
export interface Act {
  label: string;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
}

/** The acts on a row that do not stand on it. Nothing if there are none. */
export function ActsMenu({ label, acts }: { label: string; acts: readonly Act[] }): ReactNode {
  if (acts.length === 0) return null;
  return (
    <Suspense fallback={<IconButton icon="dots" label={label} disabled />}>
      <MenuPopup label={label} acts={acts} />
    </Suspense>
  );
}
