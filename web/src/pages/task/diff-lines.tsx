import { type ReactNode, useState } from 'react';
import { ShowMore } from '../../ui/long-text.tsx';

interface Line {
  change: 'same' | 'added' | 'removed';
  text: string;
}

const LOOKS = {
  same: { sign: ' ', word: '', className: '' },
  added: { sign: '+', word: 'added: ', className: 'bg-done-tint text-done' },
  removed: { sign: '−', word: 'removed: ', className: 'bg-wrong-tint text-wrong' },
};

/** Lines, and characters of a line, that are drawn at once. */
const AT_ONCE = 2_000;
const MOST_CHARACTERS = 1_000;

/** Lines with what was added and removed, by a sign as well as by the colour. */
export function DiffLines({ label, lines }: { label: string; lines: readonly Line[] }): ReactNode {
  const [shown, setShown] = useState(AT_ONCE);
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-box border border-line py-1 font-mono text-xs"
    >
      {lines.slice(0, shown).map(({ change, text }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a difference never changes
          key={index}
          className={`px-2 whitespace-pre-wrap wrap-anywhere ${LOOKS[change].className}`}
        >
          <span aria-hidden="true" className="select-none">
            {LOOKS[change].sign}{' '}
          </span>
          <span className="sr-only">{LOOKS[change].word}</span>
          {text.slice(0, MOST_CHARACTERS)}
          {text.length > MOST_CHARACTERS && ` … ${text.length - MOST_CHARACTERS} more characters`}
        </div>
      ))}
      {lines.length > shown && (
        <ShowMore
          of={`${shown.toLocaleString('en')} of ${lines.length.toLocaleString('en')} lines`}
          onClick={() => setShown(shown + AT_ONCE)}
        />
      )}
    </section>
  );
}
