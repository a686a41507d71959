import { lazy, type ReactNode, Suspense, useRef } from 'react';
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

/** What a person has done with the button while its menu is loaded. */
export type Held = 'focused' | 'pressed' | undefined;

/** The acts on a row that do not stand on it. Nothing if there are none. */
export function ActsMenu({ label, acts }: { label: string; acts: readonly Act[] }): ReactNode {
  const held = useRef<Held>(undefined);
  if (acts.length === 0) return null;
  const hold = (what: Held) => () => {
    held.current = what;
  };
  return (
    <Suspense
      fallback={
        <IconButton
          icon="dots"
          label={label}
          aria-haspopup="menu"
          onFocus={hold('focused')}
          onBlur={hold(undefined)}
          onClick={hold('pressed')}
        />
      }
    >
      <MenuPopup label={label} acts={acts} held={held} />
    </Suspense>
  );
}
