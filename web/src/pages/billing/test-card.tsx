import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshBilling } from '../../data/billing.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField } from '../../ui/form.tsx';

/** Some of Stripe's published test cards, by what they are for. */
const CARDS = [
  { value: 'pm_card_visa', label: 'Visa that pays' },
  { value: 'pm_card_mastercard', label: 'Mastercard that pays' },
  { value: 'pm_card_amex', label: 'American Express that pays' },
  { value: 'pm_card_chargeDeclined', label: 'Declined' },
  { value: 'pm_card_chargeDeclinedInsufficientFunds', label: 'Declined: insufficient funds' },
  { value: 'pm_card_authenticationRequired', label: 'The bank wants a confirmation' },
] as const;

/** Saves a test card, where the card processor is the sandbox. */
export function TestCard({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Save a test card" onClose={onClose}>
      <p>No money moves: these are the test cards that Stripe publishes.</p>
      <Form
        submit="Save the card"
        onCancel={onClose}
        onSubmit={async ({ test_card }) => {
          const body = { test_card: test_card as (typeof CARDS)[number]['value'] };
          await guildhall.post('/api/billing/payment-methods/setup', { body });
          await refreshBilling(undefined);
          onClose();
        }}
      >
        <SelectField name="test_card" label="Card" options={CARDS} />
      </Form>
    </Dialog>
  );
}
