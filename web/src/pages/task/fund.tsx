import { type ReactNode, Suspense, useState } from 'react';
import type { Scope } from '../../data/billing.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { lazily } from '../../ui/lazily.ts';

const Funds = lazily(async () => (await import('../billing/pages.ts')).Funds);

/** Adds funds in place, without leaving what one does. */
export function Fund({ org, children }: { org: Scope; children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Add funds
      </Button>
      {open && (
        <Dialog title="Add funds" onClose={() => setOpen(false)}>
          <p className="text-muted">{children}</p>
          <Suspense fallback={<p className="text-muted">Loading…</p>}>
            <Funds org={org} />
          </Suspense>
        </Dialog>
      )}
    </>
  );
}
