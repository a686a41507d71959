import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/form.tsx';

/** New recovery codes, shown only this once: they cannot be left before the person has kept them. */
export function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: readonly string[];
  onClose: () => void;
}): ReactNode {
  const [kept, setKept] = useState(false);
  const [copied, setCopied] = useState<boolean>();
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    if (!kept) addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [kept]);
  return (
    <Dialog title="Your recovery codes" onClose={onClose} closable={kept}>
      <p>
        Each signs you in once, in place of a code of the app. Keep them where you find them without
        your phone. They are not shown again.
      </p>
      <ul className="grid grid-cols-2 gap-1 rounded-box bg-raised p-3 font-mono text-xs">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={copied ? 'check' : 'copy'}
          onClick={async () => setCopied(await copy(codes.join('\n')))}
        >
          {copied ? 'Copied' : 'Copy all'}
        </Button>
        <Button icon="file" onClick={() => download(codes)}>
          Download
        </Button>
      </div>
      {copied === false && (
        <p role="alert" className="text-wrong">
          Your browser does not copy for this page: download the codes, or select them and copy them
          by hand.
        </p>
      )}
      <CheckField
        name="kept"
        label="I have kept them"
        onChange={(event) => setKept(event.target.checked)}
      />
      <div>
        <Button look="primary" disabled={!kept} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function download(codes: readonly string[]): void {
  const text = [`Recovery codes of ${location.host}. Each works once.`, '', ...codes, ''].join(
    '\n',
  );
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = 'guildhall-recovery-codes.txt';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
