import { Fragment, type ReactNode } from 'react';
import { Dialog } from '../ui/dialog.tsx';

const KEYS: readonly [keys: string[], does: string][] = [
  [['Ctrl K', '⌘ K'], 'Go to a page, find a task, or act on what is open'],
  [['c'], 'Begin a task'],
  [['?'], 'Show these keys'],
  [['j', '↓'], 'The next row of a list; the first one, where none is chosen'],
  [['k', '↑'], 'The row before'],
  [['Enter'], 'Open the row'],
  [['x'], 'Choose the row, for an act on several'],
  [['Escape'], 'Close what lies over the page'],
];

/** What keys do. Letters do nothing while one types into a field. */
export function Keys({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2">
        {KEYS.map(([keys, does]) => (
          <Fragment key={does}>
            <dt className="flex flex-wrap gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="rounded-box border border-line bg-raised px-1.5 font-mono text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
