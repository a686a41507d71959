import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import type { PatchFile, Side } from './patch.ts';
import type { LineRange } from './rows.ts';

/** A line at which a choice begins. */
interface Anchor {
  side: Side;
  line: number;
}

interface Choosing {
  onPointerDown: (event: PointerEvent) => void;
  onPointerOver: (event: PointerEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onClick: (event: { target: EventTarget; shiftKey: boolean; detail: number }) => void;
}

const NUMBERS = 'button[data-side]';

/**
 * Lines are chosen by a click on a number, by dragging over several or with Shift, and by the arrow
 * keys. `onRange` says what is chosen so far; `onChosen`, that it is meant.
 */
export function useChooseLines(
  { paths }: PatchFile,
  onRange: (range: LineRange) => void,
  onChosen: (range: LineRange) => void,
): Choosing {
  const anchor = useRef<Anchor>(undefined);
  /** While a button of the mouse is pressed on a number, and another number was reached. */
  const drag = useRef<{ range: LineRange; moved: boolean }>(undefined);
  /** Whether Shift and the arrow keys have chosen several. */
  const byKeys = useRef(false);

  const buttonOf = (target: EventTarget) =>
    target instanceof Element ? target.closest<HTMLButtonElement>(NUMBERS) : null;

  const begin = (button: HTMLButtonElement): LineRange => {
    const side = button.dataset.side === 'old' ? 'old' : 'new';
    const line = Number(button.dataset[side]);
    anchor.current = { side, line };
    return { path: paths[side], side, start: line, end: line };
  };
  /** To this line, if it is on the side on which the choice began. */
  const extended = (button: HTMLButtonElement): LineRange | undefined => {
    if (anchor.current === undefined) return begin(button);
    const { side, line } = anchor.current;
    const reached = Number(button.dataset[side] ?? Number.NaN);
    if (Number.isNaN(reached)) return undefined;
    const [start, end] = [Math.min(line, reached), Math.max(line, reached)];
    return { path: paths[side], side, start, end };
  };

  const chosen = useRef(onChosen);
  useEffect(() => {
    chosen.current = onChosen;
  });
  useEffect(() => {
    const release = () => {
      if (drag.current?.moved) chosen.current(drag.current.range);
      drag.current = undefined;
    };
    addEventListener('pointerup', release);
    return () => removeEventListener('pointerup', release);
  }, []);

  return {
    onPointerDown: (event) => {
      const button = buttonOf(event.target);
      // A finger that moves scrolls the page.
      if (button === null || event.pointerType !== 'mouse' || event.button !== 0) return;
      if (event.shiftKey) return;
      drag.current = { range: begin(button), moved: false };
    },
    onPointerOver: (event) => {
      const button = buttonOf(event.target);
      if (button === null || drag.current === undefined) return;
      const range = extended(button);
      if (range === undefined) return;
      drag.current = { range, moved: drag.current.moved || range.start !== range.end };
      onRange(range);
    },
    onClick: (event) => {
      const button = buttonOf(event.target);
      if (button === null) return;
      const several = event.shiftKey || (event.detail === 0 && byKeys.current);
      const range = several ? extended(button) : begin(button);
      byKeys.current = false;
      if (range !== undefined) onChosen(range);
    },
    onKeyDown: (event) => {
      const button = buttonOf(event.target);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (button === null) return;
      if (step === undefined) return;
      event.preventDefault();
      const all = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(NUMBERS)].filter(
        ({ dataset }) => dataset.column === button.dataset.column,
      );
      const next = all[all.indexOf(button) + step];
      if (next === undefined) return;
      if (event.shiftKey && !byKeys.current) begin(button);
      byKeys.current = event.shiftKey;
      next.focus();
      const range = event.shiftKey ? extended(next) : undefined;
      if (range !== undefined) onRange(range);
    },
  };
}
