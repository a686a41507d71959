import type { ReactNode } from 'react';
import { dollars } from '../../ui/amount.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextField } from '../../ui/form.tsx';

/** Adds to a balance what no card pays. */
export function Grant({
  to,
  grant,
  onDone,
  onClose,
}: {
  to: string;
  grant: (body: { amount: string; reason: string }) => PromiseLike<{ balance: string }>;
  /** The balance after it, in dollars. */
  onDone: (balance: string) => Promise<void>;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="Grant credits" onClose={onClose}>
      <Form
        submit="Grant"
        onCancel={onClose}
        onSubmit={async ({ amount = '', reason = '' }) => {
          const { balance } = await grant({ amount: amount.trim(), reason: reason.trim() });
          onClose();
          await onDone(dollars(balance));
        }}
      >
        <p>
          To <strong dir="auto">{to}</strong>. It cannot be taken back here.
        </p>
        <TextField name="amount" label="Amount in USD" inputMode="decimal" required />
        <TextField
          name="reason"
          label="Reason"
          required
          maxLength={500}
          hint="It stands in the audit trail and in the ledger."
        />
      </Form>
    </Dialog>
  );
}
