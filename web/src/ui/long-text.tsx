import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';

/** Characters that are shown at once: a browser needs seconds for the lines of very long texts. */
const AT_ONCE = 20_000;

/** A text as it was written, of any length: what is beyond the first part is shown on demand. */
export function LongText({
  text,
  className = 'whitespace-pre-wrap wrap-anywhere',
}: {
  text: string;
  className?: string;
}): ReactNode {
  const [shown, setShown] = useState(AT_ONCE);
  return (
    <>
      <p dir="auto" className={className}>
        {text.slice(0, shown)}
      </p>
      {text.length > shown && (
        <ShowMore
          of={`${shown.toLocaleString('en')} of ${text.length.toLocaleString('en')} characters`}
          onClick={() => setShown(shown + AT_ONCE)}
        />
      )}
    </>
  );
}

/** The end of something that is shown in parts. `of`: how much is shown, of how much. */
export function ShowMore({ of, onClick }: { of: string; onClick: () => void }): ReactNode {
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {of}
      <Button look="quiet" onClick={onClick}>
        Show more
      </Button>
    </p>
  );
}
