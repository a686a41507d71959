import { type ReactNode, useState } from 'react';
import { copy } from './copy.ts';
import { Icon } from './icons.tsx';

/**
 * A text that is copied by a click: an id, a command, a key. `short` shows its first characters,
 * `line` as much of it as one line holds. Where the browser does not copy, it is there to be
 * selected and copied by hand.
 */
export function CopyText({
  text,
  short,
  line = false,
  label = 'Copy',
}: {
  text: string;
  short?: number;
  line?: boolean;
  label?: string;
}): ReactNode {
  const [copied, setCopied] = useState(false);
  const [byHand, setByHand] = useState(false);
  const press = async () => {
    if (!(await copy(text))) return setByHand(true);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  if (byHand) return <code className="break-all select-all">{text}</code>;
  return (
    <button
      type="button"
      onClick={press}
      title={short === undefined && !line ? label : `${label}: ${text}`}
      className="inline-flex max-w-full items-center gap-1.5 rounded-box px-1 text-left font-mono text-xs text-muted hover:bg-raised hover:text-text"
    >
      <span className={`min-w-0 ${line ? 'truncate' : 'break-all'}`}>
        {short === undefined ? text : text.slice(0, short)}
      </span>
      <Icon name={copied ? 'check' : 'copy'} size={12} />
      <span className="sr-only" aria-live="polite">
        {copied ? 'Copied' : label}
      </span>
    </button>
  );
}
