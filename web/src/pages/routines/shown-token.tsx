import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** The token of a routine, which is shown only this once. */
export function ShownToken({
  token,
  path,
  onClose,
}: {
  token: string;
  path: string;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="The token of the routine" onClose={onClose}>
      <p>Copy it now, to where your program finds it. It is not shown again.</p>
      <div className="rounded-box bg-raised p-3 break-all">
        <CopyText text={token} label="Copy the token" />
      </div>
      <p className="text-muted">A call, with what fills in {'{{body}}'}:</p>
      <div className="break-all">
        <CopyText
          text={`curl -H "Authorization: Bearer $TOKEN" --data-binary @report.txt ${location.origin}${path}`}
          label="Copy the command"
        />
      </div>
      <div>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
