import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { turnsQuery } from '../../data/usage.ts';
import { Bar } from '../../ui/bar.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Money } from '../../ui/money.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Task } from './states.ts';

type Turn = components['schemas']['TaskTurn'];

/** What the task has cost, against its cap, by turn. */
export function CostPanel({ task }: { task: Task }): ReactNode {
  const turns = useInfiniteQuery(turnsQuery(task.id));
  const rows = turns.data?.pages.flatMap(({ items }) => items) ?? [];
  const { amount, cap } = task.spend;
  return (
    <Section title="Cost by turn">
      <p>
        <strong>
          <Money amount={amount} />
        </strong>
        <span className="text-muted">
          {cap === undefined ? (
            ' so far. The task has no cap of its own.'
          ) : (
            <>
              {' '}
              of <Money amount={cap} />, its cap
            </>
          )}
        </span>
      </p>
      {cap !== undefined && <Bar label="The task against its cap" part={amount} of={cap} />}
      {turns.error && !turns.isFetchNextPageError && (
        <Failure error={turns.error} retry={() => void turns.refetch()} />
      )}
      {turns.data !== undefined && rows.length === 0 ? (
        <Empty>No turn that you may see. Whoever asked for a turn sees what it has cost.</Empty>
      ) : (
        <Table label="Turns" rows={rows} keyOf={({ number }) => String(number)} columns={COLUMNS} />
      )}
      <More list={turns} />
    </Section>
  );
}

const KINDS: Record<Turn['kind'], string> = {
  plan: 'Writes the plan',
  build: 'Builds the plan',
  prompt: 'Answers a message',
};

const STATES: Record<Turn['state'], State> = {
  queued: 'idle',
  running: 'working',
  waiting: 'waiting',
  done: 'done',
  failed: 'wrong',
  cancelled: 'idle',
  interrupted: 'working',
};

const COLUMNS: readonly Column<Turn>[] = [
  {
    heading: 'Turn',
    cell: ({ number, kind, plan_version, requested_by_name }) => (
      <>
        {number}. {KINDS[kind]}
        {plan_version !== undefined && `, version ${plan_version}`}
        {requested_by_name !== undefined && (
          <span className="block text-xs text-muted">
            for <span dir="auto">{requested_by_name}</span>
          </span>
        )}
      </>
    ),
  },
  { heading: 'State', cell: ({ state }) => <Status state={STATES[state]}>{state}</Status> },
  {
    heading: 'Since',
    wide: true,
    cell: ({ ended_at, started_at, created_at }) => (
      <Time at={ended_at ?? started_at ?? created_at} />
    ),
  },
  { heading: 'Cost', align: 'right', cell: ({ amount }) => <Money amount={amount} /> },
];
