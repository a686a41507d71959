import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';
import type { Act, Held } from './menu.tsx';

/**
 * The menu itself, which is loaded after the page. It takes over from the button that stood for it:
 * its focus, and open if that was pressed.
 */
export default function MenuPopup({
  label,
  acts,
  held,
}: {
  label: string;
  acts: readonly Act[];
  held: RefObject<Held>;
}): ReactNode {
  const trigger = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (held.current !== undefined) trigger.current?.focus();
    if (held.current === 'pressed') trigger.current?.click();
    held.current = undefined;
  }, [held]);
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger
        ref={trigger}
        aria-label={label}
        className="inline-flex size-8 items-center justify-center rounded-box text-muted hover:bg-raised hover:text-text"
      >
        <Icon name="dots" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-20">
          <BaseMenu.Popup className="min-w-40 rounded-box border border-line bg-surface py-1 shadow-lg outline-none">
            {acts.map(({ label: name, onSelect, danger, disabled = false }) => (
              <BaseMenu.Item
                key={name}
                disabled={disabled}
                onClick={onSelect}
                className={`cursor-pointer px-3 py-1.5 data-disabled:cursor-default data-disabled:text-muted data-highlighted:bg-raised ${danger ? 'text-wrong' : ''}`}
              >
                {name}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
