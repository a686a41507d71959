import type { KeyboardEvent } from 'react';

/** j and k, or the arrows, move the focus from row to row; x chooses the row that has it. */
export function moveBetweenRows(
  event: KeyboardEvent<HTMLTableElement>,
  choose: ((row: string) => void) | undefined,
): void {
  const target = event.target as HTMLElement;
  const typing =
    /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !target.matches('[type=checkbox]');
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
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
