import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';

/**
 * A form begins anew when what it shows has changed elsewhere, but not once something was typed in it:
 * then the person is told, and chooses. `sent` is called once what was typed is saved. A form that
 * begins with what was typed before and not sent says in `unsent` about which version that was.
 */
export function Anew<Read>({
  read,
  version,
  textOf,
  unsent,
  onDiscard,
  children,
}: {
  read: Read;
  version: string | undefined;
  /** What is there now, to compare with what was typed. */
  textOf?: (read: Read) => string;
  unsent?: string | undefined;
  onDiscard?: () => void;
  children: (begun: Read, sent: () => void) => ReactNode;
}): ReactNode {
  const [begun, setBegun] = useState({ read, version: unsent ?? version, times: 1 });
  const [typed, setTyped] = useState(unsent !== undefined);
  const anew = () => {
    setTyped(false);
    setBegun(({ times }) => ({ read, version, times: times + 1 }));
  };
  const changed = version !== begun.version;
  if (changed && !typed) anew();
  const now = textOf?.(read) ?? '';
  return (
    <>
      {typed && (changed || unsent !== undefined) && (
        <div role="status" className="flex flex-col gap-2 rounded-box bg-waiting-tint p-3">
          <p>
            {changed
              ? 'This was changed elsewhere since you began to write. What you have written is not saved.'
              : 'What you have written before is not saved yet.'}
          </p>
          {now !== '' && (
            <details>
              <summary>What is there now</summary>
              <p dir="auto" className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
                {now}
              </p>
            </details>
          )}
          <div className="flex flex-wrap gap-2">
            {changed && (
              <Button onClick={() => setBegun({ ...begun, read, version })}>
                Go on with what I have written
              </Button>
            )}
            <Button
              onClick={() => {
                onDiscard?.();
                anew();
              }}
            >
              Discard it
            </Button>
          </div>
        </div>
      )}
      <div key={begun.times} className="contents" onInput={() => setTyped(true)}>
        {children(begun.read, () => setTyped(false))}
      </div>
    </>
  );
}
