import type { ReactNode } from 'react';
import { type LeftDraft, MOST_KEPT } from '../../data/drafts.ts';
import type { Lines } from '../../ui/markdown/tree.ts';
import { rangeWords } from './code/rows.ts';
import { fieldOf } from './plan-drafts.ts';
import { type DraftPlace, foundAgain, UnsentComments } from './unsent-comments.tsx';

/** Comments on the plan that were begun on this version, or on one before, and not sent. */
export const UnsentPlanComments = ({
  taskId,
  version,
  source,
  chosen,
  choose,
}: {
  taskId: string;
  /** The one that is shown. */
  version: number;
  /** Its lines. */
  source: readonly string[];
  chosen: Lines | undefined;
  choose: (lines: Lines) => void;
}): ReactNode => (
  <UnsentComments
    taskId={taskId}
    kind="plan"
    open={chosen && fieldOf(version, chosen)}
    placeOf={(draft) => placeOf(draft, version, source, choose)}
  />
);

function placeOf(
  draft: LeftDraft,
  version: number,
  source: readonly string[],
  choose: (lines: Lines) => void,
): DraftPlace {
  const named = /^plan (\d+) (\d+)-(\d+)$/.exec(draft.field) ?? [];
  const [, of, start = 0, end = 0] = named.map(Number);
  const texts = new Map(source.map((line, at) => [at + 1, line.slice(0, MOST_KEPT)]));
  const now = foundAgain({ start, end }, draft.about, texts);
  return {
    about: `Version ${of}, ${rangeWords({ start, end })}`,
    goOn:
      now &&
      (() => {
        const lines: Lines = [now.start, now.end];
        draft.moveTo(fieldOf(version, lines));
        choose(lines);
      }),
  };
}
