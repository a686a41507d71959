import type { KeyboardEvent, ReactNode } from 'react';

/** A column: its heading, and what it shows of a row. */
export interface Column<Row> {
  heading: string;
  cell: (row: Row) => ReactNode;
  /** Amounts and counts stand at the right. */
  align?: 'right';
  /** Left out on narrow screens. */
  wide?: boolean;
}

/**
 * A dense list of rows under a heading that stays in sight. In the list, j and k move between the
 * rows, and Enter opens the link of the row.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}): ReactNode {
  const shown = (wide?: boolean) => (wide ? 'hidden sm:table-cell' : '');
  return (
    <div className="overflow-x-auto rounded-box border border-line bg-surface">
      <table className="w-full border-collapse text-left" onKeyDown={moveBetweenRows}>
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-surface text-xs text-muted">
          <tr className="border-b border-line">
            {columns.map(({ heading, align, wide }) => (
              <th
                key={heading}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap ${align === 'right' ? 'text-right' : ''} ${shown(wide)}`}
              >
                {heading === '' ? <span className="sr-only">Acts</span> : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="border-b border-line last:border-0 focus-within:bg-tint hover:bg-raised"
            >
              {columns.map(({ heading, cell, align, wide }) => (
                <td
                  key={heading}
                  className={`px-3 py-1.5 ${align === 'right' ? 'text-right' : ''} ${shown(wide)}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const target = event.target as HTMLElement;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (
    step === undefined ||
    event.ctrlKey ||
    event.metaKey ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
  )
    return;
  const rows = [...event.currentTarget.querySelectorAll('tbody tr')];
  const current = rows.findIndex((row) => row.contains(target));
  const next = rows[Math.min(Math.max(current + step, 0), rows.length - 1)];
  const link = next?.querySelector<HTMLElement>('a, button');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
