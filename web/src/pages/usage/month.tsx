import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Scope, spendLimitsQuery } from '../../data/billing.ts';
import { monthsCostQuery, type UsageOf } from '../../data/usage.ts';
import { Bar } from '../../ui/bar.tsx';
import { Money } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';

/** What this month has cost, against its limit where there is one that the person may see. */
export function Month({ whose, payer }: { whose: UsageOf; payer: Payer | undefined }): ReactNode {
  const cost = useQuery(monthsCostQuery(whose));
  const limits = useQuery({
    ...spendLimitsQuery(payer?.org),
    enabled: payer !== undefined,
    // Who may not see them sees the costs alone.
    retry: false,
  });
  if (cost.data === undefined) return null;
  const limit = limits.data?.limits.find(({ subject, subject_id }) =>
    whose.project === undefined ? subject === 'balance' : subject_id === whose.project,
  );
  const { amount } = cost.data.total;
  return (
    <div className="flex flex-col gap-2 rounded-box border border-line bg-surface p-4">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-muted">This month (UTC)</span>
        <strong className="text-lg">
          <Money amount={limit?.spent ?? amount} />
        </strong>
        {limit !== undefined && (
          <>
            <span className="text-muted">
              of <Money amount={limit.amount} />
            </span>
            {limit.state !== 'ok' && (
              <Status state={limit.state === 'warned' ? 'waiting' : 'wrong'}>
                {limit.state === 'warned'
                  ? 'Four fifths of the limit are spent'
                  : 'The limit is reached: tasks pause'}
              </Status>
            )}
          </>
        )}
      </p>
      {limit !== undefined && (
        <Bar label="This month against its limit" part={limit.spent} of={limit.amount} />
      )}
      {limits.data !== undefined && limit === undefined && (
        <p className="text-xs text-muted">There is no limit for the month. Billing sets one.</p>
      )}
    </div>
  );
}

/** Whose limits hold: those of a workspace, or with an empty one those of the person. */
export interface Payer {
  org: Scope;
}
