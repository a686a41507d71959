import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
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
  const [copied, setCopied] = useState(false);
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
          onClick={async () => {
            await navigator.clipboard.writeText(codes.join('\n'));
            setCopied(true);
          }}
        >
          {copied ? 'Copied' : 'Copy all'}
        </Button>
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
