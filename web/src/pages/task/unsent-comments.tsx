import type { ReactNode } from 'react';
import { type LeftDraft, useDraftsOf } from '../../data/drafts.ts';
import { Button } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';
import { Section } from '../../ui/page.tsx';

/** Where a draft belongs now. */
export interface DraftPlace {
  /** Its lines, in words. */
  about: string;
  /** Opens it where its lines are; undefined where they are gone. */
  goOn: (() => void) | undefined;
}

/**
 * Comments that the person has begun on lines and not sent. The lines may stand elsewhere by now, or
 * be gone: what was written about them is here.
 */
export function UnsentComments({
  taskId,
  kind,
  open,
  placeOf,
}: {
  taskId: string;
  kind: 'code' | 'plan';
  /** The field that is open. */
  open: string | undefined;
  placeOf: (draft: LeftDraft) => DraftPlace;
}): ReactNode {
  const drafts = useDraftsOf(taskId, `${kind} `).filter(({ field }) => field !== open);
  if (drafts.length === 0) return null;
  return (
    <Section title="Comments that you have not sent">
      <ul className="flex flex-col gap-2">
        {drafts.map((draft) => {
          const { about, goOn } = placeOf(draft);
          return (
            <li key={draft.field} className="rounded-box border border-line bg-surface px-3 py-2">
              <p className="text-xs text-muted wrap-anywhere">
                {about}
                {goOn === undefined && ' · these lines are not among the changes any more'}
              </p>
              <p
                dir="auto"
                className="max-h-40 overflow-y-auto py-1 whitespace-pre-wrap wrap-anywhere"
              >
                {draft.text}
              </p>
              <div className="flex flex-wrap gap-2">
                {goOn === undefined ? (
                  <Button onClick={() => void copy(draft.text)}>Copy the text</Button>
                ) : (
                  <Button onClick={goOn}>Go on writing</Button>
                )}
                <Button look="quiet" onClick={draft.forget}>
                  Discard
                </Button>
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/**
 * Where lines are by now: the last of them by its number and text, the nearest one with that text,
 * or undefined. `texts` has the text of each number that is shown.
 */
export function foundAgain(
  { start, end }: { start: number; end: number },
  about: string | undefined,
  texts: ReadonlyMap<number, string>,
): { start: number; end: number } | undefined {
  if (about === undefined) return texts.has(end) ? { start, end } : undefined;
  const distance = (line: number) => Math.abs(line - end);
  const [nearest] = [...texts]
    .filter(([, text]) => text === about)
    .map(([line]) => line)
    .sort((a, b) => distance(a) - distance(b));
  if (nearest === undefined) return undefined;
  return { start: Math.max(1, start + nearest - end), end: nearest };
}
