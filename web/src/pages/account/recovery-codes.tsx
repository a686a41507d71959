import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/form.tsx';

/** New recovery codes, shown only this once. */
export function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: readonly string[];
  onClose: () => void;
}): ReactNode {
  const [kept, setKept] = useState(false);
  const [copied, setCopied] = useState<boolean>();
  return (
    <Dialog title="Your recovery codes" onClose={onClose}>
      <p>
        Each signs you in once, in place of a code of the app. Keep them where you find them without
        your phone. They are not shown again.
      </p>
      <ul className="grid grid-cols-2 gap-1 rounded-box bg-raised p-3 font-mono text-xs">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <Button
          icon={copied ? 'check' : 'copy'}
          onClick={async () => setCopied(await copy(codes.join('\n')))}
        >
          {copied ? 'Copied' : 'Copy all'}
        </Button>
        {copied === false && (
          <p role="alert" className="pt-2 text-wrong">
            Your browser does not copy for this page: select the codes, and copy them by hand.
          </p>
        )}
      </div>
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
