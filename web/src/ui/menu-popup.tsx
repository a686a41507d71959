import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';

/** An act of a menu. */
export interface Act {
  label: string;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
}

/** The menu itself, which takes the place of the button that was pressed: with its focus, and open. */
export default function MenuPopup({
  label,
  acts,
}: {
  label: string;
  acts: readonly Act[];
}): ReactNode {
  const trigger = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLDivElement>(null);
  const byKey = useRef(false);
  useEffect(() => {
    trigger.current?.focus();
    trigger.current?.click();
  }, []);
  return (
    <BaseMenu.Root
      onOpenChange={(_open, { event }) => {
        byKey.current = event instanceof UIEvent && event.detail === 0;
      }}
    >
      <BaseMenu.Trigger
        ref={trigger}
        aria-label={label}
        className="inline-flex size-8 items-center justify-center rounded-box text-muted hover:bg-raised hover:text-text"
      >
        <Icon name="dots" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-20">
          <BaseMenu.Popup
            className="min-w-40 rounded-box border border-line bg-surface py-1 shadow-lg outline-none"
            onFocus={({ target, currentTarget }) => {
              // Base UI gives the focus to an entry only where it is drawn in the same turn as the menu.
              if (byKey.current && target === currentTarget) first.current?.focus();
            }}
          >
            {acts.map(({ label: name, onSelect, danger, disabled = false }, index) => (
              <BaseMenu.Item
                key={name}
                ref={index === 0 ? first : null}
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
