import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { useBalanceOf } from '../../data/balance-of.ts';
import { Icon } from '../../ui/icons.tsx';
import { Money } from '../../ui/money.tsx';
import { Fund } from '../task/fund.tsx';

type Project = components['schemas']['Project'];

/** USD that a step reserves before it begins. */
const A_STEP = 0.5;

/** To whoever may see the balance, before a task is sent: that it could not begin. */
export function NoFunds({ project }: { project: Project }): ReactNode {
  const { balance, mayAdd, credits } = useBalanceOf(project);
  if (balance === null || balance === undefined || Number(balance.available) >= A_STEP) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-box border border-line bg-waiting-tint px-3 py-2"
    >
      <Icon name="warning" />
      <p className="min-w-0 flex-1 basis-56">
        {balance.status === 'frozen' ? (
          'The balance that pays for this project is frozen'
        ) : (
          <>
            <Money amount={balance.available} /> is available for this project
          </>
        )}
        : the task waits, before the agent begins, until{' '}
        {credits ? 'the operator grants credits.' : 'funds are added.'}
      </p>
      {mayAdd && (
        <Fund org={project.organization_id}>
          Tasks of the project begin once the balance covers a step.
        </Fund>
      )}
    </div>
  );
}
