import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** A secret, which is shown only this once. */
export function ShownSecret({
  secret,
  onClose,
}: {
  secret: string;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="The secret of the webhook" onClose={onClose}>
      <p>Copy it now, to where your program verifies signatures with it. It is not shown again.</p>
      <div className="rounded-box bg-raised p-3 break-all">
        <CopyText text={secret} label="Copy the secret" />
      </div>
      <div>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
