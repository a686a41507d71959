import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { billingDetailsQuery, refreshBilling, type Scope } from '../../data/billing.ts';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, TextArea, TextField, type Values } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';

const given = (text: string | undefined): string | null => text?.trim() || null;

const bodyOf = (values: Values) => {
  const lines = (values.address ?? '').split('\n').map((line) => line.trim());
  const address = lines.filter((line) => line !== '');
  return {
    name: given(values.name),
    address: address.length === 0 ? null : address,
    country: given(values.country)?.toUpperCase() ?? null,
    tax_id: given(values.tax_id),
    email: given(values.email),
    mail_receipts: values.mail_receipts !== undefined,
  };
};

/** What invoices say of the customer. Those that exist keep what they say. */
export function BillingDetails({ org }: { org: Scope }): ReactNode {
  const { data, error, refetch } = useQuery(billingDetailsQuery(org));
  const [saved, setSaved] = useState(false);
  if (insteadOf({ data, error })) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  const save = async (values: Values) => {
    setSaved(false);
    const [body, options] = [bodyOf(values), { ifMatch: data.etag }];
    await (org === undefined
      ? guildhall.put('/api/billing/details', { body }, options)
      : guildhall.put(
          '/api/organizations/{org_id}/billing/details',
          { org_id: org, body },
          options,
        ));
    await refreshBilling(org);
    setSaved(true);
  };
  return (
    <Section title="On the next invoices">
      {saved && <Notice onClose={() => setSaved(false)}>The details are saved.</Notice>}
      <Form key={data.etag} submit="Save the details" onSubmit={save}>
        <TextField
          name="name"
          label="Name"
          dir="auto"
          defaultValue={data.name}
          autoComplete="organization"
        />
        <TextArea
          name="address"
          label="Address"
          rows={3}
          hint="One line each, without the country."
          defaultValue={data.address?.join('\n') ?? ''}
        />
        <TextField
          name="country"
          label="Country"
          hint="Two letters, such as NL."
          maxLength={2}
          defaultValue={data.country}
          autoComplete="country"
        />
        <TextField
          name="tax_id"
          label="Tax id"
          hint="For example a VAT number."
          defaultValue={data.tax_id}
          autoComplete="off"
        />
        <TextField
          name="email"
          label="E-mail for receipts"
          type="email"
          hint="Without it, receipts go to the person who pays."
          defaultValue={data.email}
          autoComplete="email"
        />
        <CheckField
          name="mail_receipts"
          label="Send each invoice and credit note by mail"
          defaultChecked={data.mail_receipts}
        />
      </Form>
    </Section>
  );
}
