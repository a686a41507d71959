import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.tsx';

/**
 * A dialog over the page, for what is dangerous or needs a form of its own. It is there while it is
 * rendered; Escape and the cross call `onClose`, unless `closable` says that it is left otherwise. The
 * browser keeps the focus inside. What opened the dialog gets it back, or, if that is gone or disabled by
 * then, the nearest region around it that is still there.
 */
export function Dialog({
  title,
  onClose,
  closable = true,
  children,
}: {
  title: string;
  onClose: () => void;
  closable?: boolean;
  children: ReactNode;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the page is drawn, and before the dialog is taken out of it: the browser gives the focus
  // back to what opened the dialog only while both are there.
  useLayoutEffect(() => {
    const element = dialog.current;
    const places = [...placesOf(openerOf(document.activeElement))];
    element?.showModal();
    // The browser chose the first element that can have the focus: the cross.
    const cross = document.activeElement;
    const field = () => element?.querySelector<HTMLElement>('input, textarea, select');
    field()?.focus();
    // The fields of some dialogs are loaded after it.
    const arriving = new MutationObserver(() => {
      if (!field()) return;
      arriving.disconnect();
      if (document.activeElement === cross) field()?.focus();
    });
    if (element && !field()) arriving.observe(element, { childList: true, subtree: true });
    return () => {
      arriving.disconnect();
      element?.close();
      giveFocus(places);
      // What the dialog has done may take its opener out of the page a moment later.
      const changes = new MutationObserver(() => {
        if (document.activeElement === document.body) giveFocus(places);
      });
      changes.observe(document.body, { childList: true, subtree: true });
      setTimeout(() => changes.disconnect(), 1_000);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        // That no file was chosen in a field of the dialog reaches it, too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (closable) onClose();
      }}
      // Browsers close a dialog at the second Escape, whatever was prevented at the first.
      onClose={() => {
        if (!closable) dialog.current?.showModal();
      }}
      className="m-auto w-[min(32rem,calc(100vw-2rem))] rounded-box border border-line bg-surface text-text shadow-lg backdrop:bg-shade"
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={heading} className="font-semibold">
          {title}
        </h2>
        {closable && <IconButton icon="close" label="Close" onClick={onClose} />}
      </div>
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </dialog>
  );
}

/** What gets the focus back: of an entry in a menu, which is gone by then, the button of the menu. */
function openerOf(element: Element | null): HTMLElement | null {
  // The menu may be closed by now, and its button not say any more what it controls.
  const button = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button ? document.getElementById(button) : element) as HTMLElement | null;
}

/** An element, and what around it can have the focus, from within outwards. */
function* placesOf(element: HTMLElement | null): Iterable<HTMLElement> {
  for (let at = element; at !== null; at = at.parentElement?.closest('[tabindex]') ?? null)
    yield at;
}

/** To the first of them that takes it. */
function giveFocus(places: readonly HTMLElement[]): void {
  places.some((place) => {
    place.focus({ preventScroll: true });
    return document.activeElement === place;
  });
}
