import { createElement, Fragment, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../button.tsx';
import { LongText } from '../long-text.tsx';
import { type Outcome, parse } from './parsing.ts';
import type { Lines, Part } from './tree.ts';

/** What stands beside the first line of a part, and what follows it. */
interface Beside {
  before: ReactNode;
  after: ReactNode;
  className: string;
}
export type BesideLines = (lines: Lines) => Beside;

/** A text that is read; `again` reads it once more. Undefined for now. */
export function useTree(
  text: string,
  withLines: boolean,
): { outcome: Outcome | undefined; again: () => void } {
  const [read, setRead] = useState<{ text: string; outcome: Outcome }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads it again
  useEffect(
    () => parse({ text, withLines }, (outcome) => setRead({ text, outcome })),
    [text, withLines, attempt],
  );
  // A message that goes on is drawn as far as it is read.
  const outcome = read !== undefined && text.startsWith(read.text) ? read.outcome : undefined;
  return { outcome, again: () => setAttempt(attempt + 1) };
}

/** The Markdown of a plan or a message; as it was written until it is read, and where it cannot be. */
export function Markdown({ text }: { text: string }): ReactNode {
  const { outcome, again } = useTree(text, false);
  return <Drawn text={text} outcome={outcome} again={again} />;
}

/** The same of a text that was read; with `beside`, which is of the lines of its parts. */
export function Drawn({
  text,
  outcome,
  again,
  beside,
}: {
  text: string;
  outcome: Outcome | undefined;
  again: () => void;
  beside?: BesideLines;
}): ReactNode {
  if (Array.isArray(outcome))
    return (
      <div className="prose" dir="auto">
        {outcome.map((part, index) => element(part, index, beside))}
      </div>
    );
  return (
    <div
      data-source={outcome === undefined ? 'for now' : 'for good'}
      className="flex flex-col gap-2"
    >
      {outcome === 'too much' && (
        <p role="status" className="text-muted">
          This is its source: as Markdown, it is too large or too deeply nested to be drawn.
        </p>
      )}
      {outcome === 'too slow' && (
        <p role="status" className="flex flex-wrap items-center gap-2 text-muted">
          This is its source: as Markdown, it takes too long to read.
          <Button look="quiet" onClick={again}>
            Try again
          </Button>
        </p>
      )}
      <LongText text={text} />
    </div>
  );
}

function element(part: Part, index: number, beside: BesideLines | undefined): ReactNode {
  if (typeof part === 'string') return part;
  const [tag, { lines, ...attributes }, parts] = part;
  const { href } = attributes;
  // Links open beside this page, and one without an address is no link.
  const link = tag === 'a' && href !== undefined;
  const within = parts.map((one, at) => element(one, at, beside));
  const made = (className?: string, ...children: ReactNode[]) =>
    createElement(
      tag === 'a' && !link ? 'span' : tag,
      {
        key: index,
        ...attributes,
        ...(className === undefined ? {} : { className }),
        ...(link ? { target: '_blank', rel: 'noopener noreferrer nofollow' } : {}),
        ...(lines === undefined ? {} : { 'data-start': lines[0], 'data-end': lines[1] }),
      },
      ...children,
    );
  if (lines === undefined || beside === undefined)
    return made(undefined, ...(within.length === 0 ? [] : [within]));
  const { before, after, className } = beside(lines);
  if (tag === 'li') return made(className, before, within, after);
  return (
    <Fragment key={index}>
      {/* What stands beside a part is not in it: it belongs to no heading, and nothing scrolls it. */}
      <div>
        {before}
        {made(className, within)}
      </div>
      {after}
    </Fragment>
  );
}
