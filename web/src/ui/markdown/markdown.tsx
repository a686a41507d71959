import { createElement, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../button.tsx';
import { LongText } from '../long-text.tsx';
import { type Outcome, parse } from './parsing.ts';
import type { Part } from './tree.ts';

/** The Markdown of a plan or a message; as it was written until it is read, and where it cannot be. */
export function Markdown({ text }: { text: string }): ReactNode {
  const [read, setRead] = useState<{ text: string; outcome: Outcome }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reads it again
  useEffect(() => parse(text, (outcome) => setRead({ text, outcome })), [text, attempt]);
  // A message that goes on is drawn as far as it is read.
  const outcome = read !== undefined && text.startsWith(read.text) ? read.outcome : undefined;
  if (Array.isArray(outcome))
    return (
      <div className="prose" dir="auto">
        {outcome.map(element)}
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
          <Button look="quiet" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </Button>
        </p>
      )}
      <LongText text={text} />
    </div>
  );
}

function element(part: Part, index: number): ReactNode {
  if (typeof part === 'string') return part;
  const [tag, attributes, parts] = part;
  const { href } = attributes;
  // Links open beside this page, and one without an address is no link.
  const link = tag === 'a' && href !== undefined;
  return createElement(
    tag === 'a' && !link ? 'span' : tag,
    {
      key: index,
      ...attributes,
      ...(link ? { target: '_blank', rel: 'noopener noreferrer nofollow' } : {}),
    },
    ...(parts.length === 0 ? [] : [parts.map(element)]),
  );
}
