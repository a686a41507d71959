import { type ReactNode, useState } from 'react';
import { Button, type Look } from './button.tsx';
import type { IconName } from './icons.tsx';

/** A button that does something on the server; a refusal goes to `onFailure`. */
export function ActButton({
  act,
  onFailure,
  look = 'plain',
  icon,
  label,
  children,
}: {
  act: () => PromiseLike<unknown>;
  /** Called with `undefined` when the act begins. */
  onFailure: (error: unknown) => void;
  look?: Look;
  icon?: IconName;
  /** Its name for screen readers, where the text alone would not say what it acts on. */
  label?: string;
  children: ReactNode;
}): ReactNode {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    onFailure(undefined);
    try {
      await act();
    } catch (error) {
      onFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button look={look} icon={icon} busy={busy} aria-label={label} onClick={() => void run()}>
      {children}
    </Button>
  );
}
