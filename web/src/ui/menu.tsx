import { type ReactNode, useState } from 'react';
import { patiently } from '../data/patiently.ts';
import { IconButton } from './button.tsx';
import type MenuPopup from './menu-popup.tsx';
import type { Act } from './menu-popup.tsx';

const load = () => patiently(() => import('./menu-popup.tsx'));

/**
 * The acts on a row that do not stand on it. Nothing if there are none. A long list has many of them,
 * so each is a button alone until it is pressed.
 */
export function ActsMenu({ label, acts }: { label: string; acts: readonly Act[] }): ReactNode {
  const [Popup, setPopup] = useState<typeof MenuPopup>();
  const [busy, setBusy] = useState(false);
  if (acts.length === 0) return null;
  if (Popup !== undefined) return <Popup label={label} acts={acts} />;
  const open = async () => {
    setBusy(true);
    const { default: Loaded } = await load();
    setPopup(() => Loaded);
  };
  return (
    <IconButton
      icon="dots"
      label={label}
      aria-haspopup="menu"
      aria-busy={busy || undefined}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => void open()}
    />
  );
}
