import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { loadStripe, StripeMissing } from './stripe.ts';
import { beginTopUp, cancelTopUp, type TopUp, type TopUpRequest, takeRequest } from './top-up.ts';

/** What the cardholder did at their bank, and what became of the charge. */
interface Confirmed {
  topUp: TopUp;
  refusal?: string | undefined;
}

/** The bank's confirmation of a charge that was begun on the page before. */
export function ConfirmCharge(): ReactNode {
  const [request] = useState(takeRequest);
  const back =
    request?.org === undefined ? '/account/billing' : `/workspaces/${request.org}/billing`;
  return (
    <Section title="Confirm the charge">
      {request === undefined ? (
        <p>There is no charge to confirm. Nothing was charged here.</p>
      ) : (
        <Confirm request={request} />
      )}
      <p>
        <a href={back} className="text-link underline">
          Back to billing
        </a>
      </p>
    </Section>
  );
}

function Confirm({ request }: { request: TopUpRequest }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['confirm-charge', request.key],
    queryFn: () => confirm(request),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (error && !(error instanceof StripeMissing)) return <Failure error={error} />;
  if (data === undefined) return <Waiting request={request} trouble={error?.message} />;
  const { topUp, refusal } = data;
  if (topUp.status === 'succeeded')
    return (
      <p role="status">
        <Money amount={topUp.amount} /> was charged.
        {topUp.new_balance !== undefined && (
          <>
            {' '}
            The balance is <Money amount={topUp.new_balance} />.
          </>
        )}
      </p>
    );
  return (
    <Refusal>{refusal ?? 'The outcome is not known yet: the balance follows by itself.'}</Refusal>
  );
}

/** Until the bank's window is answered. Cancelling the charge ends it here as a refusal does. */
function Waiting({
  request,
  trouble,
}: {
  request: TopUpRequest;
  /** Why the bank cannot be asked here. */
  trouble: string | undefined;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  const [canceled, setCanceled] = useState(false);
  if (canceled) return <p role="status">The charge was cancelled. Nothing was charged.</p>;
  return (
    <>
      {trouble === undefined ? (
        <p role="status">Waiting for the confirmation of your bank…</p>
      ) : (
        <Refusal>{trouble}</Refusal>
      )}
      {failure !== undefined && <Failure error={failure} />}
      <ActButton
        act={async () => {
          const { id } = await beginTopUp(request);
          setCanceled((await cancelTopUp(id)).status === 'canceled');
        }}
        onFailure={setFailure}
      >
        Cancel the charge
      </ActButton>
    </>
  );
}

/** The answer to the request is read again by its key: it names the charge, and what Stripe needs. */
async function confirm(request: TopUpRequest): Promise<Confirmed> {
  const { id, client_secret = '', publishable_key = '' } = await beginTopUp(request);
  const stripe = await loadStripe(publishable_key);
  const { error } = await stripe.handleNextAction({ clientSecret: client_secret });
  const topUp = await guildhall.post('/api/billing/top-ups/{top_up_id}/complete', {
    top_up_id: id,
    body: {},
  });
  return { topUp, refusal: error?.message };
}
