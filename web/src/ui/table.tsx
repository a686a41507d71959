import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { moveBetweenRows } from './row-keys.ts';
import { SelectAll, type Selection, SelectRow } from './selection.tsx';

/** A column: its heading, and what it shows of a row. */
export interface Column<Row> {
  heading: string;
  cell: (row: Row) => ReactNode;
  /** Amounts and counts stand at the right. */
  align?: 'right';
  /** Left out on narrow screens. */
  wide?: boolean;
  /** On a narrow screen it has what the others leave; the first column, if none says so. */
  grow?: boolean;
}

// Its text is cut or wrapped.
const GROWS = 'max-sm:w-full max-sm:max-w-0 wrap-anywhere';
const OTHER = 'wrap-break-word';

const classOf = (
  { align, wide }: { align?: 'right'; wide?: boolean },
  index: number,
  columns: readonly { grow?: boolean }[],
): string =>
  [
    'px-3 max-sm:px-2',
    align === 'right' ? 'text-right' : '',
    wide ? 'hidden sm:table-cell' : '',
    index ===
    Math.max(
      columns.findIndex(({ grow }) => grow),
      0,
    )
      ? GROWS
      : OTHER,
  ].join(' ');

/**
 * A dense list of rows under a heading that stays in sight. In the list, j and k move between the
 * rows, Enter opens the link of the row, and x chooses it where rows can be chosen.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  selection,
}: {
  /** What the rows are, for screen readers. */
  label: string;
  /** Long lists give the same array every time, so that rows that stay the same are not drawn again. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** For acts on several rows at once; what was refused is shown below its row. */
  selection?: Selection<Row> | undefined;
}): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) =>
    moveBetweenRows(event, selection?.toggle);
  return (
    <div className="overflow-x-auto rounded-box border border-line bg-surface xl:overflow-x-clip">
      <table className="w-full border-collapse text-left" onKeyDown={onKeyDown}>
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 z-10 bg-surface text-xs text-muted">
          <tr className="border-b border-line">
            {selection && <SelectAll selection={selection} />}
            {columns.map((column, index) => (
              <th
                key={column.heading}
                scope="col"
                className={`${classOf(column, index, columns)} py-2 font-medium whitespace-nowrap`}
              >
                {column.heading === '' ? <span className="sr-only">Acts</span> : column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = keyOf(row);
            return (
              <Line
                key={id}
                id={id}
                row={row}
                columns={columns}
                nameOf={selection?.nameOf}
                chosen={selection?.chosen.has(id)}
                toggle={selection?.toggle}
                refusal={selection?.refusals.get(id)}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps<Row> {
  id: string;
  row: Row;
  columns: readonly Column<Row>[];
  nameOf: ((row: Row) => string) | undefined;
  chosen: boolean | undefined;
  toggle: ((id: string) => void) | undefined;
  refusal: string | undefined;
}

const Line = memo(function Line<Row>({
  id,
  row,
  columns,
  nameOf,
  chosen,
  toggle,
  refusal,
}: LineProps<Row>): ReactNode {
  return (
    <>
      <tr
        data-row={id}
        aria-selected={chosen}
        className="border-b border-line last:border-0 focus-within:bg-tint hover:bg-raised aria-selected:bg-tint"
      >
        {toggle && (
          <SelectRow
            name={nameOf?.(row) ?? ''}
            chosen={chosen ?? false}
            onChange={() => toggle(id)}
          />
        )}
        {columns.map((column, index) => (
          <td key={column.heading} className={`${classOf(column, index, columns)} py-1.5`}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
      {refusal !== undefined && (
        <tr className="border-b border-line bg-wrong-tint text-wrong">
          <td colSpan={columns.length + 1} className="px-3 py-1.5 text-xs">
            {refusal}
          </td>
        </tr>
      )}
    </>
  );
}) as <Row>(props: LineProps<Row>) => ReactNode;
