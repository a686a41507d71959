import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { cardsQuery } from '../../data/billing.ts';
import { Failure } from '../../ui/failure.tsx';
import { SelectField } from '../../ui/form.tsx';
import { cardName } from './card.tsx';

/** One of the person's own cards; without any, where to save one. */
export function CardField({ defaultValue }: { defaultValue?: string }): ReactNode {
  const { data, error, refetch } = useQuery(cardsQuery);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  if (data.length === 0)
    return <p className="text-muted">You have no saved card yet. Save one below, under Cards.</p>;
  const known = data.some(({ id }) => id === defaultValue);
  return (
    <SelectField
      name="payment_method_id"
      label="Card"
      defaultValue={known ? defaultValue : data.find((card) => card.is_default)?.id}
      options={data.map(({ id, brand, last4 }) => ({ value: id, label: cardName(brand, last4) }))}
    />
  );
}
