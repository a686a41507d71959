import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icons.tsx';

/** What an act has done, such as a receipt; it stays until it is closed. */
export function Notice({
  onClose,
  children,
}: {
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  return (
    <div
      role="status"
      className="flex items-start gap-2 rounded-box border border-line bg-done-tint py-2 pr-2 pl-3"
    >
      <span className="pt-1.5 text-done">
        <Icon name="check" />
      </span>
      <div className="min-w-0 flex-1 py-1">{children}</div>
      <IconButton icon="close" label="Dismiss" onClick={onClose} />
    </div>
  );
}

/** Why something did not happen, where it was asked for. */
export function Refusal({ children }: { children: ReactNode }): ReactNode {
  return (
    <p role="alert" className="rounded-box border border-line bg-wrong-tint p-3 text-wrong">
      {children}
    </p>
  );
}
