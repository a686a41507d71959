import type { components } from '@guildhall/client';
import { type KeyboardEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { lazily } from '../../ui/lazily.ts';
import { type BesideLines, Drawn, useTree } from '../../ui/markdown/markdown.tsx';
import type { Lines, Part } from '../../ui/markdown/tree.ts';
import { rangeWords } from './code/rows.ts';
import { CommentForm } from './on-demand.tsx';
import { type Comment, linesNow, PlanComment } from './plan-comments.tsx';
import { fieldOf } from './plan-drafts.ts';

type Plan = components['schemas']['Plan'];

const UnsentPlanComments = lazily(
  async () => (await import('./unsent-plan-comments.tsx')).UnsentPlanComments,
);

/**
 * A version of the plan with what people say about it. Whoever may comment selects a text, or the
 * button beside a paragraph, which arrow keys reach from the one before it.
 */
export function PlanText({
  plan,
  version,
  text,
  comments,
}: {
  plan: Plan;
  /** The one that is shown. */
  version: number;
  text: string;
  comments: readonly Comment[];
}): ReactNode {
  const { outcome, again } = useTree(text, true);
  const [chosen, setChosen] = useState<Lines>();
  const container = useRef<HTMLDivElement>(null);
  const selected = useSelected(container);
  const may = plan.available_actions.includes('create_plan_comment');
  const parts = Array.isArray(outcome) ? linesIn(outcome) : [];
  const source = text.split('\n');
  const shownAt = (lines: Lines) =>
    comments.filter((comment) => {
      const end = linesNow(comment, version, plan.version)?.[1];
      return end !== undefined && end >= lines[0] && end <= lines[1];
    });
  const left = comments.filter((comment) => !parts.some((one) => shownAt(one).includes(comment)));
  const box = (lines: Lines) => (
    <CommentForm
      key={lines.join()}
      taskId={plan.task_id}
      about={rangeWords({ start: lines[0], end: lines[1] })}
      field={fieldOf(version, lines)}
      lineText={source[lines[1] - 1] ?? ''}
      onDone={() => setChosen(undefined)}
      send={(said) =>
        guildhall.post('/api/tasks/{task_id}/plan/comments', {
          task_id: plan.task_id,
          body: { version, start_line: lines[0], end_line: lines[1], text: said },
        })
      }
    />
  );
  const beside: BesideLines = (lines) => {
    const said = shownAt(lines);
    const within = (line: number | undefined) =>
      line !== undefined && line >= lines[0] && line <= lines[1];
    const writing = chosen !== undefined && within(chosen[1]);
    const touched = chosen !== undefined && chosen[0] <= lines[1] && chosen[1] >= lines[0];
    return {
      before: may && (
        <PartButton lines={lines} first={lines === parts[0]} choose={() => setChosen(lines)} />
      ),
      after: (said.length > 0 || writing) && (
        <div className="my-2 flex max-w-xl flex-col gap-2">
          {said.map((comment) => (
            <PlanComment key={comment.id} comment={comment} />
          ))}
          {writing && box(chosen)}
        </div>
      ),
      className: touched ? 'bg-tint' : '',
    };
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons within are what is used
    <div ref={container} onKeyDown={moveAmongButtons} className={`relative ${may ? 'pl-7' : ''}`}>
      {may && version === plan.version && (
        <Suspense>
          <UnsentPlanComments
            taskId={plan.task_id}
            version={version}
            source={source}
            chosen={chosen}
            choose={setChosen}
          />
        </Suspense>
      )}
      <Drawn text={text} outcome={outcome} again={again} beside={beside} />
      {may && selected !== undefined && (
        <span
          className="absolute z-5 -translate-y-full"
          style={{ top: selected.top, left: selected.left }}
        >
          <Button
            icon="message"
            look="primary"
            // The selection would be gone before the click.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              setChosen(selected.lines);
              getSelection()?.removeAllRanges();
            }}
          >
            Comment
          </Button>
        </span>
      )}
      {left.length > 0 && (
        <div className="flex max-w-xl flex-col gap-2 pt-4">
          {left.map((comment) => (
            <PlanComment key={comment.id} comment={comment} elsewhere />
          ))}
        </div>
      )}
    </div>
  );
}

function linesIn(parts: readonly Part[]): Lines[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    const [, { lines }, within] = part;
    return [...(lines === undefined ? [] : [lines]), ...linesIn(within)];
  });
}

/** At the left edge, on the height of the part that it is about. */
const PartButton = ({
  lines,
  first,
  choose,
}: {
  lines: Lines;
  first: boolean;
  choose: () => void;
}): ReactNode => (
  <button
    type="button"
    data-part
    tabIndex={first ? 0 : -1}
    aria-label={`Comment on ${rangeWords({ start: lines[0], end: lines[1] })}`}
    onClick={choose}
    className="absolute left-0 -mt-0.5 flex size-6 items-center justify-center rounded-box text-muted opacity-35 select-none hover:bg-accent hover:text-on-accent hover:opacity-100 focus-visible:opacity-100"
  >
    <Icon name="plus" size={12} />
  </button>
);

function moveAmongButtons(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof HTMLElement) || !target.matches('[data-part]'))
    return;
  const buttons = [...currentTarget.querySelectorAll<HTMLElement>('[data-part]')];
  event.preventDefault();
  buttons[buttons.indexOf(target) + step]?.focus();
}

interface Selected {
  lines: Lines;
  /** Of its beginning, in the container. */
  top: number;
  left: number;
}

/** The lines of what is selected in the container, once the selection has ended. */
function useSelected(container: { current: HTMLElement | null }): Selected | undefined {
  const [selected, setSelected] = useState<Selected>();
  useEffect(() => {
    const look = () => {
      const { current } = container;
      setSelected(current === null ? undefined : selectionIn(current));
    };
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, [container]);
  return selected;
}

function selectionIn(container: HTMLElement): Selected | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const parts = [...container.querySelectorAll<HTMLElement>('[data-start]')].filter((part) =>
    touches(range, part),
  );
  const starts = parts.map(({ dataset }) => Number(dataset.start));
  const ends = parts.map(({ dataset }) => Number(dataset.end));
  if (parts.length === 0) return undefined;
  const at = range.getBoundingClientRect();
  const box = container.getBoundingClientRect();
  return {
    lines: [Math.min(...starts), Math.max(...ends)],
    top: at.top - box.top,
    left: Math.max(0, Math.min(at.left - box.left, box.width - 120)),
  };
}

/** Whether something of the part itself is selected, and not only its edge. */
function touches(range: Range, part: HTMLElement): boolean {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // A part of the list within, or a comment, is not this part.
    if (node.parentElement?.closest('[data-start], article') !== part) continue;
    if (!range.intersectsNode(node)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : (node.textContent?.length ?? 0);
    if (to > from) return true;
  }
  return false;
}
