import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { balanceQuery, type Scope } from '../../data/billing.ts';
import { useBilling } from '../../data/config.ts';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Money } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Costs } from './costs.tsx';

/** What can be spent now or, where nothing is charged, what tasks have cost. */
export function Balance({ org }: { org: Scope }): ReactNode {
  const billing = useBilling();
  if (billing === undefined) return null;
  return billing === 'off' ? (
    <Costs org={org} />
  ) : (
    <Available org={org} credits={billing === 'credits'} />
  );
}

/** What can be spent now, what running tasks have reserved, and whether anything is frozen. */
function Available({ org, credits }: { org: Scope; credits: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(balanceQuery(org));
  if (insteadOf({ data, error })) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 rounded-box border border-line bg-surface p-4">
      <div>
        <dt className="text-xs text-muted">Available</dt>
        <dd className="text-lg font-semibold">
          <Money amount={data.available} />
        </dd>
      </div>
      <div>
        <dt className="text-xs text-muted">Held for running tasks</dt>
        <dd className="text-lg">
          <Money amount={data.held} />
        </dd>
      </div>
      {data.status === 'frozen' && (
        <div>
          <dt className="text-xs text-muted">Balance</dt>
          <dd className="flex flex-wrap items-center gap-2">
            <Money amount={data.balance} />
            <Status state="wrong">
              Frozen: no task runs until{' '}
              {credits ? 'the operator grants credits' : 'funds are added'}
            </Status>
          </dd>
        </div>
      )}
    </dl>
  );
}
