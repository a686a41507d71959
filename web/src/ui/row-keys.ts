import type { KeyboardEvent as RowEvent } from 'react';

/** Whether a key belongs to a field, or is one of the browser's. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const field = target instanceof HTMLElement && !target.matches('[type=checkbox]') && target;
  return (
    ctrlKey ||
    metaKey ||
    altKey ||
    (field && (field.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName)))
  );
}

/** j, where no row of a list has the focus, gives it to the first row of the page. */
export function enterRows(event: KeyboardEvent): void {
  const main = document.getElementById('main');
  const place = document.activeElement;
  // Within a list, the list has moved it already; in a menu or a dialog, letters mean something else.
  if (event.key !== 'j' || isTyping(event) || event.defaultPrevented) return;
  if (main === null || !(place === document.body || main.contains(place))) return;
  const first = main.querySelector<HTMLElement>('[data-row] :is(a, button)');
  if (first === null || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  first.focus();
}

/** j and k, or the arrows, move the focus from row to row; x chooses the row that has it. */
export function moveBetweenRows(
  event: RowEvent<HTMLTableElement>,
  choose: ((row: string) => void) | undefined,
): void {
  const target = event.target as HTMLElement;
  if (isTyping(event.nativeEvent)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('tr[data-row]')];
  const current = rows.findIndex((row) => row.contains(target));
  if (event.key === 'x' && choose !== undefined) {
    const id = rows[current]?.dataset.row;
    if (id !== undefined) choose(id);
    return;
  }
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const next = rows[Math.min(Math.max(current + step, 0), rows.length - 1)];
  const link = next?.querySelector<HTMLElement>('a, button');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
