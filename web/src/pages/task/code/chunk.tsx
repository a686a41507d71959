import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { inFull } from './hidden-characters.ts';
import type { Coloured, Kind } from './highlighting.ts';
import type { PatchLine, Side } from './patch.ts';
import { isWithin, type LineRange, type Row, sideOf } from './rows.ts';

/** What stands below a line, such as comments; undefined for nothing. */
export type Below = (side: Side, line: number) => ReactNode;

interface Drawn {
  rows: readonly Row[];
  coloured: Coloured | undefined;
  /** The lines that are chosen. */
  range: LineRange | undefined;
  below: Below | undefined;
  /** Of the first row, which the Tab key leads to. */
  first: boolean;
}

const SIGNS = {
  same: { sign: ' ', word: '', row: '', mark: '' },
  added: { sign: '+', word: 'added: ', row: 'bg-done-tint', mark: 'bg-added-mark' },
  removed: { sign: '−', word: 'removed: ', row: 'bg-wrong-tint', mark: 'bg-removed-mark' },
};

const COLOURS: Record<Kind, string> = {
  keyword: 'text-code-keyword',
  string: 'text-code-string',
  number: 'text-code-number',
  comment: 'text-code-comment',
  name: 'text-code-name',
  attribute: 'text-code-attribute',
  plain: '',
};

/** Characters of a line that are drawn. */
const MOST_CHARACTERS = 1_000;
/** How far from the screen rows are made: further away, a chunk is one text, which can be searched. */
const AHEAD = '1500px';

/**
 * Rows that are drawn together. While they are far from the screen they are plain text, and the
 * browser lays out none that it does not show.
 */
export const Chunk = memo(function Chunk(drawn: Drawn): ReactNode {
  const { rows, range, below } = drawn;
  const element = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const rich = near || below !== undefined || range !== undefined;
  useEffect(() => {
    if (rich || element.current === null) return;
    const margin = { rootMargin: AHEAD, scrollMargin: AHEAD };
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    }, margin);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [rich]);
  return (
    <div ref={element} className="[contain-intrinsic-size:auto_900px] [content-visibility:auto]">
      {rich ? (
        rows.map((row, index) => (
          <Shown
            // biome-ignore lint/suspicious/noArrayIndexKey: a difference never changes
            key={index}
            {...drawn}
            row={row}
            first={drawn.first && index === firstLine(rows)}
          />
        ))
      ) : (
        <Plain rows={rows} />
      )}
    </div>
  );
});

const firstLine = (rows: readonly Row[]) => rows.findIndex(({ kind }) => kind !== 'heading');

/** The same lines in the same places, without their colours and numbers. */
function Plain({ rows }: { rows: readonly Row[] }): ReactNode {
  const text = (lineOf: (row: Row) => PatchLine | undefined) =>
    rows
      .map((row) => (row.kind === 'heading' ? row.text : inFull(cut(lineOf(row)?.text ?? ''))))
      .join('\n');
  if (rows.some(({ kind }) => kind === 'pair'))
    return (
      <div className="grid grid-cols-2">
        {(['left', 'right'] as const).map((side) => (
          <p key={side} className="pl-13 whitespace-pre-wrap wrap-anywhere sm:pl-15">
            {text((row) => (row.kind === 'pair' ? row[side] : undefined))}
          </p>
        ))}
      </div>
    );
  return (
    <p className="pl-21 whitespace-pre-wrap wrap-anywhere sm:pl-25">
      {text((row) => (row.kind === 'line' ? row.line : undefined))}
    </p>
  );
}

const cut = (text: string) => text.slice(0, MOST_CHARACTERS);

function Shown({ row, coloured, range, below, first }: Drawn & { row: Row }): ReactNode {
  if (row.kind === 'heading')
    return (
      <p className="truncate bg-raised px-2 text-muted">
        <span aria-hidden="true">⋯ </span>
        {row.text}
      </p>
    );
  if (row.kind === 'line') {
    const { line } = row;
    return (
      <>
        <div className={`flex ${SIGNS[line.change].row}`}>
          <LineNumbers line={line} column="both" range={range} first={first} />
          <Code line={line} coloured={coloured} />
        </div>
        {below !== undefined && <Notes lines={[line]} below={below} />}
      </>
    );
  }
  const { left, right } = row;
  return (
    <>
      <div className="grid grid-cols-2">
        {(['old', 'new'] as const).map((side) => {
          const line = side === 'old' ? left : right;
          if (line === undefined) return <div key={side} className="bg-raised" />;
          return (
            <div
              key={side}
              className={`flex min-w-0 ${side === 'new' ? 'border-l border-line' : ''} ${SIGNS[line.change].row}`}
            >
              <LineNumbers
                line={line}
                column={side}
                range={range}
                first={first && side === 'new'}
              />
              <Code line={line} coloured={coloured} />
            </div>
          );
        })}
      </div>
      {below !== undefined && (
        <Notes lines={[left, right].filter((line) => line !== undefined)} below={below} />
      )}
    </>
  );
}

function Notes({ lines, below }: { lines: readonly PatchLine[]; below: Below }): ReactNode {
  const shown = (['old', 'new'] as const).flatMap((side) => {
    const number = lines.find((line) => line[side] !== undefined)?.[side];
    const notes = number === undefined ? undefined : below(side, number);
    return notes === undefined ? [] : [<div key={side}>{notes}</div>];
  });
  if (shown.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 border-y border-line bg-surface p-2 font-sans text-sm">
      {shown}
    </div>
  );
}

/** The numbers of a line: a click, or Enter, chooses it, and dragging the lines between. */
function LineNumbers({
  line,
  column,
  range,
  first,
}: {
  line: PatchLine;
  column: Side | 'both';
  range: LineRange | undefined;
  first: boolean;
}): ReactNode {
  const side = column === 'old' ? 'old' : sideOf(line);
  const chosen = isWithin(range, side, line[side]);
  const shown = column === 'both' ? [line.old, line.new] : [line[column]];
  return (
    <button
      type="button"
      data-column={column}
      data-side={side}
      data-old={line.old}
      data-new={line.new}
      aria-pressed={chosen}
      // The arrow keys lead from line to line: with Tab, there would be thousands.
      tabIndex={first ? 0 : -1}
      className={`flex shrink-0 items-start select-none hover:text-text focus-visible:-outline-offset-2 ${chosen ? 'bg-accent text-on-accent hover:text-on-accent' : 'text-muted'}`}
    >
      <span className="sr-only">
        Line {line[side]}
        {side === 'old' && ' before the change'}
      </span>
      {shown.map((number, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the old one stands before the new one
          key={index}
          aria-hidden="true"
          className="w-8 pr-1 text-right sm:w-10 sm:pr-1.5"
        >
          {number}
        </span>
      ))}
    </button>
  );
}

function Code({ line, coloured }: { line: PatchLine; coloured: Coloured | undefined }): ReactNode {
  const { sign, word, mark } = SIGNS[line.change];
  const more = line.text.length - MOST_CHARACTERS;
  return (
    <>
      <span aria-hidden="true" className="w-5 shrink-0 pl-1 select-none">
        {sign}
      </span>
      <p className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">
        {word !== '' && <span className="sr-only">{word}</span>}
        {pieces(line, coloured).map(({ kind, text, marked }, index) =>
          kind === 'plain' && !marked ? (
            inFull(text)
          ) : (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line never changes
              key={index}
              className={`${COLOURS[kind]} ${marked ? `rounded-xs ${mark}` : ''}`}
            >
              {inFull(text)}
            </span>
          ),
        )}
        {more > 0 && <span className="text-muted"> … {more} more characters</span>}
        {line.unended && <span className="text-muted"> (no line end)</span>}
      </p>
    </>
  );
}

/** The pieces of a line by colour, cut where the part that differs begins and ends. */
function pieces(
  line: PatchLine,
  coloured: Coloured | undefined,
): { kind: Kind; text: string; marked: boolean }[] {
  const [from, to] = line.mark ?? [0, 0];
  const text = cut(line.text);
  const tokens = coloured?.get(line) ?? [['plain', text] as const];
  let at = 0;
  return tokens.flatMap(([kind, part]) => {
    const begin = at;
    const end = Math.min(begin + part.length, text.length);
    at = end;
    const cuts = [begin, from, to, end].filter((cutAt) => cutAt >= begin && cutAt <= end);
    const places = [...new Set(cuts)].sort((a, b) => a - b);
    return places.slice(1).map((place, index) => {
      const start = places[index] ?? begin;
      return { kind, text: text.slice(start, place), marked: start >= from && place <= to };
    });
  });
}
