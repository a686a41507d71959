import { GuildhallError } from '@guildhall/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Rows that are chosen, and why an act on some of them was refused. */
export interface Selection<Row> {
  chosen: ReadonlySet<string>;
  refusals: ReadonlyMap<string, string>;
  /** How many rows can be chosen. */
  rows: readonly string[];
  nameOf: (row: Row) => string;
  toggle: (id: string) => void;
  choose: (ids: readonly string[]) => void;
  refuse: (refusals: ReadonlyMap<string, string>) => void;
}

/** The choice among these rows; a row that is not in the list any more is not chosen either. */
export function useSelection<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Selection<Row> {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const [refusals, refuse] = useState<ReadonlyMap<string, string>>(new Map());
  const ids = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const chosen = useMemo(() => new Set(ids.filter((id) => wanted.has(id))), [ids, wanted]);
  const toggle = useCallback((id: string) => {
    setWanted((former) => {
      const next = new Set(former);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const choose = useCallback((all: readonly string[]) => setWanted(new Set(all)), []);
  return { chosen, refusals, rows: ids, nameOf, toggle, choose, refuse };
}

const BOX = 'size-4 align-middle accent-accent';

export function SelectAll<Row>({
  selection: { chosen, rows, choose },
}: {
  selection: Selection<Row>;
}): ReactNode {
  const all = chosen.size > 0 && chosen.size === rows.length;
  return (
    <th scope="col" className="w-0 py-2 pl-3">
      <input
        type="checkbox"
        aria-label="Choose all rows that are shown"
        className={BOX}
        checked={all}
        ref={(box) => {
          if (box) box.indeterminate = chosen.size > 0 && !all;
        }}
        onChange={() => choose(all ? [] : rows)}
      />
    </th>
  );
}

export function SelectRow({
  name,
  chosen,
  onChange,
}: {
  name: string;
  chosen: boolean;
  onChange: () => void;
}): ReactNode {
  return (
    <td className="w-0 py-1.5 pl-3">
      <input
        type="checkbox"
        aria-label={`Choose ${name}`}
        className={BOX}
        checked={chosen}
        onChange={onChange}
      />
    </td>
  );
}

/** How many requests of one act on many rows are under way at a time. */
const AT_ONCE = 4;

/**
 * The act on all chosen rows, after one confirmation. What was done is not chosen any more; what was
 * refused stays so, with the reason below its row.
 */
export function BulkAct<Row>({
  selection,
  label,
  things,
  warning,
  danger = false,
  run,
  onDone,
}: {
  selection: Selection<Row>;
  /** What the button says, given such as "3 tasks". */
  label: (things: string) => string;
  /** What the rows are called, one and many. */
  things: readonly [string, string];
  /** What follows from it, in a sentence. */
  warning: string;
  danger?: boolean;
  run: (id: string) => PromiseLike<unknown>;
  /** Called when all have been tried. */
  onDone: () => PromiseLike<unknown>;
}): ReactNode {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const count = selection.chosen.size;
  if (count === 0) return null;
  const what = label(`${count.toLocaleString('en')} ${things[count === 1 ? 0 : 1]}`);
  async function go(): Promise<void> {
    setBusy(true);
    selection.refuse(new Map());
    const left = [...selection.chosen];
    const refused = new Map<string, string>();
    const next = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        try {
          await run(id);
        } catch (error) {
          refused.set(id, error instanceof GuildhallError ? error.detail : 'This has failed.');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    selection.refuse(refused);
    selection.choose([...refused.keys()]);
    setBusy(false);
    setAsking(false);
    await onDone();
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-box bg-tint px-3 py-1.5">
      <span role="status" className="flex-1">
        {count.toLocaleString('en')} chosen
      </span>
      <Button onClick={() => selection.choose([])}>Choose none</Button>
      <Button look={danger ? 'danger' : 'primary'} onClick={() => setAsking(true)}>
        {what}
      </Button>
      {asking && (
        <Dialog title={`${what}?`} onClose={() => setAsking(false)}>
          <p>{warning}</p>
          <div className="flex flex-wrap gap-2">
            <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void go()}>
              {what}
            </Button>
            <Button disabled={busy} onClick={() => setAsking(false)}>
              Cancel
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
