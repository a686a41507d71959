import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { FunctionComponent, ReactNode } from 'react';
import type { Scope } from '../../data/billing.ts';
import { useBilling } from '../../data/config.ts';
import { HelpLink } from '../../ui/help-link.tsx';
import { Section } from '../../ui/page.tsx';
import { AddFunds } from './add-funds.tsx';
import { AutoReload } from './auto-reload.tsx';
import { Balance } from './balance.tsx';
import { Cards } from './cards.tsx';
import { Invoices } from './invoices.tsx';
import { Limits } from './limits.tsx';
import { Transactions } from './transactions.tsx';

interface View {
  name: string;
  Show: FunctionComponent<{ org: Scope }>;
}

/** The parts of this page, by what its address says. */
const VIEWS: Record<string, View> = {
  balance: { name: 'Balance', Show: Funds },
  transactions: { name: 'Transactions', Show: Transactions },
  invoices: { name: 'Invoices', Show: Invoices },
  limits: { name: 'Limits', Show: Limits },
};

/** The money of the person, or of the workspace in the address. */
export function Billing(): ReactNode {
  const { org } = useParams({ strict: false });
  const { view = 'balance' } = useSearch({ strict: false }) as { view?: string };
  const { Show } = VIEWS[view] ?? (VIEWS.balance as View);
  return (
    <>
      <nav aria-label="Billing" className="flex flex-wrap gap-1">
        {Object.entries(VIEWS).map(([each, { name }]) => (
          <Link
            key={each}
            to="."
            search={{ view: each === 'balance' ? undefined : each }}
            activeOptions={{ exact: true, includeSearch: true }}
            className="rounded-box px-2 py-1 text-muted hover:bg-raised data-[status=active]:bg-raised data-[status=active]:font-medium data-[status=active]:text-text"
          >
            {name}
          </Link>
        ))}
      </nav>
      <p>
        <HelpLink topic="money">How money works</HelpLink>
      </p>
      <Show org={org} />
    </>
  );
}

/** What can be spent, and the ways to add to it. */
export function Funds({ org }: { org: Scope }): ReactNode {
  const billing = useBilling();
  if (billing === undefined) return null;
  if (billing === 'credits' || billing === 'off')
    return (
      <>
        <Balance org={org} />
        {billing === 'credits' && (
          <Section title="Credits">
            <p className="text-muted">
              The operator of this server grants credits; no cards are taken. Ask them when you need
              more.
            </p>
          </Section>
        )}
        <Cards org={org} />
      </>
    );
  return (
    <>
      <Balance org={org} />
      <AddFunds org={org} />
      <Cards org={org} />
      <AutoReload org={org} />
    </>
  );
}
