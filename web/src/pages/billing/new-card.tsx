import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { loadStripe, type Stripe, type StripeElements, StripeMissing } from './stripe.ts';

// Addresses are loaded anew, because this page alone has a content policy that allows Stripe.
const BILLING = '/account/billing';
const HERE = '/account/stripe';

/**
 * A card is entered in a frame of Stripe, so that this server never sees its number. After a
 * confirmation elsewhere, such as the bank's page, the browser comes back with `setup`.
 */
export function NewCard(): ReactNode {
  const { setup } = useSearch({ strict: false }) as { setup?: string };
  return (
    <Section title="Save a card">
      {setup === undefined ? <Enter /> : <Completed id={setup} />}
      <p>
        <a href={BILLING} className="text-link underline">
          Back to billing
        </a>
      </p>
    </Section>
  );
}

function Enter(): ReactNode {
  const begun = useQuery({
    queryKey: ['card-setup'],
    queryFn: async () => {
      const setup = await guildhall.post('/api/billing/payment-methods/setup', { body: {} });
      const { client_secret = '', publishable_key = '' } = setup;
      return {
        id: setup.id,
        clientSecret: client_secret,
        stripe: await loadStripe(publishable_key),
      };
    },
    // An attempt is begun once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (begun.error instanceof StripeMissing)
    return (
      <div role="alert" className="flex flex-col items-start gap-2">
        <p className="text-wrong">{begun.error.message} Nothing was saved.</p>
        <Button onClick={() => void begun.refetch()}>Try again</Button>
      </div>
    );
  if (begun.error) return <Failure error={begun.error} retry={() => void begun.refetch()} />;
  if (begun.data === undefined) return <p className="text-muted">Loading Stripe…</p>;
  return <PaymentElement {...begun.data} />;
}

function PaymentElement({
  id,
  clientSecret,
  stripe,
}: {
  id: string;
  clientSecret: string;
  stripe: Stripe;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const elements = useRef<StripeElements>(undefined);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe';
    elements.current = stripe.elements({ clientSecret, appearance: { theme } });
    const element = elements.current.create('payment');
    element.mount(frame.current as HTMLDivElement);
    return () => element.destroy();
  }, [stripe, clientSecret]);
  return (
    <Form
      submit="Save the card"
      onSubmit={async () => {
        setRefusal(undefined);
        const { error } = await stripe.confirmSetup({
          elements: elements.current as StripeElements,
          confirmParams: { return_url: `${location.origin}${HERE}?setup=${id}` },
          redirect: 'if_required',
        });
        if (error) setRefusal(error.message ?? 'Stripe has refused the card: try another one.');
        else location.assign(`${HERE}?setup=${id}`);
      }}
    >
      <div ref={frame} className="max-w-lg" />
      {refusal !== undefined && <Refusal>{refusal}</Refusal>}
    </Form>
  );
}

const FAILED = {
  canceled: 'The card was not entered in time. Begin again.',
  card_removed: 'The card was removed at once. Save it again.',
  card_of_another_person: 'This card belongs to another person here.',
  too_many_cards: 'You have as many saved cards as there can be. Remove one first.',
};

/** What became of an attempt, as the server has it from Stripe. */
function Completed({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['card-setup', id],
    queryFn: () =>
      guildhall.post('/api/billing/payment-methods/setup/{setup_id}/complete', { setup_id: id }),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? 2_000 : false),
  });
  const saved = data?.status === 'succeeded';
  useEffect(() => {
    if (saved) location.replace(BILLING);
  }, [saved]);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data?.status === 'failed')
    return <Refusal>{FAILED[data.failure_code ?? 'canceled']}</Refusal>;
  return <p role="status">{saved ? 'The card is saved.' : 'Asking Stripe about the card…'}</p>;
}
