import type { ReactNode } from 'react';

interface Line {
  change: 'same' | 'added' | 'removed';
  text: string;
}

const LOOKS = {
  same: { sign: ' ', word: '', className: '' },
  added: { sign: '+', word: 'added: ', className: 'bg-done-tint text-done' },
  removed: { sign: '−', word: 'removed: ', className: 'bg-wrong-tint text-wrong' },
};

/** Lines with what was added and removed, by a sign as well as by the colour. */
export function DiffLines({ label, lines }: { label: string; lines: readonly Line[] }): ReactNode {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-box border border-line py-1 font-mono text-xs"
    >
      {lines.map(({ change, text }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a difference never changes
          key={index}
          className={`px-2 whitespace-pre-wrap ${LOOKS[change].className}`}
        >
          <span aria-hidden="true" className="select-none">
            {LOOKS[change].sign}{' '}
          </span>
          <span className="sr-only">{LOOKS[change].word}</span>
          {text}
        </div>
      ))}
    </section>
  );
}

/** The lines of a patch as git writes it. */
export const linesOfPatch = (patch: string): Line[] =>
  patch.split('\n').map((text) => {
    if (text.startsWith('+') && !text.startsWith('+++'))
      return { change: 'added', text: text.slice(1) };
    if (text.startsWith('-') && !text.startsWith('---'))
      return { change: 'removed', text: text.slice(1) };
    return { change: 'same', text: text.startsWith(' ') ? text.slice(1) : text };
  });
