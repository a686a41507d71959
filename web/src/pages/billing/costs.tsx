import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Scope } from '../../data/billing.ts';
import { monthsCostQuery } from '../../data/usage.ts';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';

/** What tasks have cost in this month, where nothing is charged. */
export function Costs({ org }: { org: Scope }): ReactNode {
  const { data, error, refetch } = useQuery(monthsCostQuery({ org }));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <dl className="flex flex-wrap items-end gap-x-8 gap-y-2 rounded-box border border-line bg-surface p-4">
      <div>
        <dt className="text-xs text-muted">Costs this month (UTC)</dt>
        <dd className="text-lg font-semibold">
          <Money amount={data.total.amount} />
        </dd>
      </div>
      <div>
        <dd className="text-muted">
          This server charges nothing. Costs are only counted, and caps and limits hold.{' '}
          {org === undefined ? (
            <Link to="/account/usage" className="text-link underline">
              See the usage
            </Link>
          ) : (
            <Link to="/workspaces/$org/usage" params={{ org }} className="text-link underline">
              See the usage
            </Link>
          )}
        </dd>
      </div>
    </dl>
  );
}
