import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { autoReloadQuery, cardsQuery, refreshBilling, type Scope } from '../../data/billing.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField, type Values } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { CardField } from './card-field.tsx';

/** Why nothing is charged although auto-reload is on. */
const PAUSED: Record<string, string> = {
  declined: 'the card was declined three times in a row',
  authentication_required: 'the bank wants the cardholder to confirm each charge',
  card_lost: 'the card was removed, or reported as lost or stolen',
  refunded: 'money of a charge went back to the card',
  disputed: 'a charge is disputed',
};

const FIGURES = [
  { name: 'threshold', label: 'When less than this is available', placeholder: '10.00' },
  { name: 'amount', label: 'Charge at least', placeholder: '25.00' },
  { name: 'monthly_cap', label: 'But no more than this in a month', placeholder: '200.00' },
] as const;

const put = (org_id: Scope, body: Record<string, unknown>, ifMatch: string) =>
  org_id === undefined
    ? guildhall.put('/api/billing/auto-reload', { body }, { ifMatch })
    : guildhall.put(
        '/api/organizations/{org_id}/billing/auto-reload',
        { org_id, body },
        { ifMatch },
      );

/** Charging a card by itself when the balance runs low: off until a person sets all of it. */
export function AutoReload({ org }: { org: Scope }): ReactNode {
  const { data, error, refetch } = useQuery(autoReloadQuery(org));
  const cards = useQuery(cardsQuery);
  const [failure, setFailure] = useState<unknown>();
  if (insteadOf({ data, error })) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  const { enabled, paused_reason, last_charged_at, charged_this_month } = data;
  const change = async (body: Record<string, unknown>) => {
    await put(org, body, data.etag);
    await refreshBilling(org);
  };
  return (
    <Section
      title="Auto-reload"
      actions={
        enabled && (
          <ActButton act={() => change({ enabled: false })} onFailure={setFailure}>
            Switch off
          </ActButton>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        {!enabled && <Status state="idle">Off</Status>}
        {enabled && paused_reason === undefined && <Status state="done">On</Status>}
        {enabled && paused_reason !== undefined && (
          <Status state="wrong">Paused: {PAUSED[paused_reason] ?? paused_reason}</Status>
        )}
        <span className="text-muted">
          <Money amount={charged_this_month} /> this month
          {last_charged_at !== undefined && (
            <>
              , last <Time at={last_charged_at} />
            </>
          )}
        </span>
      </div>
      {failure !== undefined && <Failure error={failure} />}
      <Form
        key={data.etag}
        submit={enabled ? 'Save' : 'Switch on'}
        look={enabled ? 'plain' : 'primary'}
        disabled={!cards.data?.length}
        onSubmit={(values) => change({ enabled: true, ...filled(values) })}
      >
        {FIGURES.map(({ name, ...field }) => (
          <TextField
            key={name}
            name={name}
            {...field}
            defaultValue={data[name]}
            inputMode="decimal"
            autoComplete="off"
            required
          />
        ))}
        <CardField defaultValue={data.payment_method_id} />
      </Form>
    </Section>
  );
}

const filled = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
