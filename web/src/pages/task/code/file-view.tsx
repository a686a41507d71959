import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { bytes, type ChangedFile } from './changed-file.ts';
import { useChooseLines } from './choose-lines.ts';
import { type Below, Chunk } from './chunk.tsx';
import { inFull } from './hidden-characters.ts';
import { type Coloured, highlight } from './highlighting.ts';
import { Images, isImage } from './images.tsx';
import type { PatchFile } from './patch.ts';
import { chunksOf, isWithin, type Layout, type LineRange, type Row } from './rows.ts';

/** A file of the difference; without `patch`, there is nothing to be seen of it. */
export interface Shown {
  file: ChangedFile;
  patch: PatchFile | undefined;
}

interface Viewed {
  shown: Shown;
  layout: Layout;
  /** The address of the bytes of this file before and after the change. */
  address: (side: 'old' | 'new') => string;
  open: boolean;
  viewed: boolean;
  /** Whether the patches have been read. */
  ready: boolean;
  ignoredSpace: boolean;
  range: LineRange | undefined;
  /** What stands below lines; `hasNotes` says whether there is anything. */
  below: Below;
  hasNotes: (row: Row) => boolean;
  /** What people said about lines that are not shown. */
  others: ReactNode;
  onOpen: (open: boolean) => void;
  onViewed: (viewed: boolean) => void;
  onRange: (range: LineRange) => void;
  onChosen: (range: LineRange) => void;
}

/** More changed lines than that are shown on demand. */
const LARGE = 1_500;

const WORDS: Record<ChangedFile['status'], string> = {
  added: 'New',
  modified: 'Changed',
  deleted: 'Deleted',
  renamed: 'Renamed',
  type_changed: 'Of another type',
};

/** One changed file: its head, which stays while it is scrolled, and its lines. */
export function FileView(props: Viewed): ReactNode {
  const { shown, open, viewed, ready, others, onOpen, onViewed } = props;
  const { file } = shown;
  return (
    <section
      aria-label={file.path}
      data-file={file.path}
      className="scroll-mt-12 rounded-box border border-line"
    >
      <div className="sticky top-9 z-5 flex flex-wrap items-center gap-x-2 rounded-t-box border-b border-line bg-raised pr-2">
        <IconButton
          icon="chevron"
          label={open ? 'Fold' : 'Unfold'}
          aria-expanded={open}
          className={open ? '[&>svg]:rotate-90' : ''}
          onClick={() => onOpen(!open)}
        />
        <h2 dir="ltr" className="min-w-0 flex-1 py-1 font-mono text-xs wrap-anywhere">
          {file.old_path !== undefined && (
            <span className="text-muted">{inFull(file.old_path)} → </span>
          )}
          {inFull(file.path)}
        </h2>
        <span className="text-xs text-muted">{WORDS[file.status]}</span>
        <Counts file={file} />
        <label className="flex items-center py-1 text-xs">
          <input
            type="checkbox"
            checked={viewed}
            disabled={!ready}
            onChange={({ currentTarget }) => onViewed(currentTarget.checked)}
            className="m-1 size-4 accent-accent"
          />
          Viewed
        </label>
      </div>
      {open && <Body {...props} />}
      {open && others}
    </section>
  );
}

/** How many lines were added and removed. */
export const Counts = ({ file: { additions, deletions } }: { file: ChangedFile }): ReactNode =>
  additions === undefined || deletions === undefined ? null : (
    <span className="text-xs whitespace-nowrap">
      {additions > 0 && <span className="text-done">+{additions.toLocaleString('en')}</span>}
      {additions > 0 && deletions > 0 && ' '}
      {deletions > 0 && <span className="text-wrong">−{deletions.toLocaleString('en')}</span>}
    </span>
  );

function Body(props: Viewed): ReactNode {
  const { shown, address, ready, ignoredSpace, range } = props;
  const { file, patch } = shown;
  const [wanted, setWanted] = useState(false);
  const lines = (file.additions ?? 0) + (file.deletions ?? 0);
  const note = (text: string) => <p className="p-3 text-muted">{text}</p>;
  if (file.binary && isImage(file.path)) return <Images file={file} address={address} />;
  if (file.binary) return note(`A binary file${sizes(file)}.`);
  if (!ready) return note('…');
  if (patch === undefined || patch.hunks.length === 0)
    return note(
      ignoredSpace && lines > 0
        ? 'Only white space differs.'
        : (modes(file) ?? 'Its content is the same.'),
    );
  if (lines > LARGE && !wanted && range === undefined)
    return (
      <p className="flex flex-wrap items-center gap-2 p-3 text-muted">
        A large change: {lines.toLocaleString('en')} lines.
        <Button onClick={() => setWanted(true)}>Show</Button>
      </p>
    );
  return <Lines {...props} patch={patch} />;
}

function sizes({ old_size, new_size }: ChangedFile): string {
  const known = [old_size, new_size].filter((size) => size !== undefined);
  return known.length === 0 ? '' : `, ${known.map(bytes).join(' → ')}`;
}

function modes({ old_mode, new_mode }: ChangedFile): string | undefined {
  if (old_mode === undefined || new_mode === undefined || old_mode === new_mode) return undefined;
  return `Its mode was ${old_mode} and is ${new_mode}.`;
}

function Lines(props: Viewed & { patch: PatchFile }): ReactNode {
  const { patch, layout, range, below, hasNotes, onRange, onChosen } = props;
  const [coloured, setColoured] = useState<Coloured>();
  useEffect(() => highlight(patch.paths.new, patch.hunks, setColoured), [patch]);
  const chunks = useMemo(() => chunksOf(patch, layout), [patch, layout]);
  const choosing = useChooseLines(patch, onRange, onChosen);
  return (
    // The buttons within are what can be used; what they do bubbles to here.
    <div className="overflow-hidden rounded-b-box py-1 font-mono text-xs" {...choosing}>
      {chunks.map((rows, index) => (
        <Chunk
          // biome-ignore lint/suspicious/noArrayIndexKey: a difference never changes
          key={index}
          rows={rows}
          coloured={coloured}
          first={index === 0}
          range={rows.some((row) => isChosen(row, range)) ? range : undefined}
          below={rows.some(hasNotes) ? below : undefined}
        />
      ))}
    </div>
  );
}

const isChosen = (row: Row, range: LineRange | undefined): boolean => {
  if (range === undefined || row.kind === 'heading') return false;
  const lines = row.kind === 'line' ? [row.line] : [row.left, row.right];
  return lines.some((line) => line !== undefined && isWithin(range, range.side, line[range.side]));
};
