import { type ReactNode, useState } from 'react';
import { beTold, mayAsk, noteAsked } from '../../data/push.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';

/** Offers to tell this browser, once something has waited for the person. */
export default function AskPush(): ReactNode {
  const [open, setOpen] = useState(mayAsk);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  if (!open) return null;
  const leave = () => {
    noteAsked();
    setOpen(false);
  };
  async function accept(): Promise<void> {
    setBusy(true);
    await beTold().then(leave, setFailure);
    setBusy(false);
  }
  return (
    <section
      aria-label="Notifications"
      className="flex flex-wrap items-center justify-between gap-3 rounded-box border border-line p-3"
    >
      <p className="max-w-prose text-muted">
        This browser can tell you when something waits for you, also while this page is closed.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => void accept()}>
          Tell me in this browser
        </Button>
        <Button onClick={leave}>Not here</Button>
      </div>
      {failure !== undefined && <Failure error={failure} />}
    </section>
  );
}
