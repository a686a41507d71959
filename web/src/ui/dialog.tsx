import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './button.tsx';

/**
 * A dialog over the page, for what is dangerous or needs a form of its own. It is there while it is
 * rendered; Escape and the cross call `onClose`. The browser keeps the focus inside and gives it
 * back.
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser chose the first element that can have the focus: the cross.
    element?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="m-auto w-[min(32rem,calc(100vw-2rem))] rounded-box border border-line bg-surface text-text shadow-lg backdrop:bg-shade"
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={heading} className="font-semibold">
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </dialog>
  );
}
