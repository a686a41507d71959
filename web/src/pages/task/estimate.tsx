import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { estimateQuery, refreshTask } from '../../data/task.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { dollars } from '../../ui/amount.ts';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';

/**
 * What building the plan may cost, beside the button that approves it, with a warning where the cap
 * or the balance may not be enough. `version` is that of the plan, so that a newer one is asked about.
 */
export function Estimate({ task_id, version }: { task_id: string; version: number }): ReactNode {
  const [error, setError] = useState<unknown>();
  const { data } = useQuery(estimateQuery(task_id, version));
  if (data === undefined || data.basis === 'billing_off') return undefined;
  const { low, likely, high, cap, available, spent, suggested_cap } = data;
  if (high === null || likely === null || low === null)
    return <p className="text-muted">No build with this model has ended yet: no estimate.</p>;
  const left = cap === null ? undefined : Number(cap) - Number(spent);
  const short = available !== null && Number(available) < Number(high);
  return (
    <div className="flex flex-wrap items-center gap-2 text-muted">
      <p>
        Builds {data.basis === 'project' ? 'of this project' : 'with this model'} cost{' '}
        {dollars(low) === dollars(high) ? (
          <Money amount={likely} />
        ) : (
          <>
            <Money amount={low} /> to <Money amount={high} />, half of them up to{' '}
            <Money amount={likely} />
          </>
        )}{' '}
        ({data.count} {data.count === 1 ? 'build' : 'builds'}).
        {short && (
          <>
            {' '}
            The balance may not be enough: <Money amount={available} /> can be spent.
          </>
        )}
        {left !== undefined && left < Number(high) && (
          <>
            {' '}
            The cap may not be enough: <Money amount={Math.max(0, left).toFixed(2)} /> of it are
            left.
          </>
        )}
      </p>
      {suggested_cap !== null && suggested_cap !== cap && (
        <ActButton
          onFailure={setError}
          act={async () => {
            await guildhall.put('/api/tasks/{task_id}', {
              task_id,
              body: { spend_cap: suggested_cap },
            });
            await refreshTask(task_id);
          }}
        >
          Set the cap to ${suggested_cap}
        </ActButton>
      )}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}
