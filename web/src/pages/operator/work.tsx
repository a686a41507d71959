import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type OpenTurn,
  type OperatedWorker,
  turnsQuery,
  workersQuery,
} from '../../data/operator.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Paged } from './paged.tsx';

/** What runs and what waits, and who carries it out. */
export function Work(): ReactNode {
  const turns = useInfiniteQuery(turnsQuery);
  const workers = useInfiniteQuery(workersQuery);
  return (
    <>
      <Section title="Workers">
        <Paged
          label="Workers"
          list={workers}
          columns={WORKERS}
          none="No process carries out tasks: start a worker."
        />
      </Section>
      <Section title="Turns that run or wait">
        <Paged label="Turns" list={turns} columns={TURNS} none="Nothing runs, and nothing waits." />
      </Section>
    </>
  );
}

const FAULTS = {
  worker_unable: 'cannot begin: its log says why',
  pods_unavailable: 'nothing makes pods: its log says why',
};

const WORKERS: readonly Column<OperatedWorker>[] = [
  {
    heading: 'Machine',
    cell: ({ host, id }) => host ?? <CopyText text={id} short={8} label="Copy the id" />,
  },
  {
    heading: 'State',
    cell: ({ fault, is_gone }) =>
      is_gone ? (
        <Status state="idle">gone</Status>
      ) : (
        <Status state={fault ? 'wrong' : 'done'}>{fault ? FAULTS[fault] : 'at work'}</Status>
      ),
  },
  {
    heading: 'Agents are',
    wide: true,
    cell: ({ confined, driver }) =>
      `${confined === undefined ? 'unknown' : confined ? 'confined' : 'not confined'}${driver ? ` (${driver})` : ''}`,
  },
  { heading: 'Version', wide: true, cell: ({ version }) => version ?? 'unknown' },
  {
    heading: 'Heard of',
    align: 'right',
    cell: ({ seen_at }) => <Time at={seen_at} />,
  },
];

const STATES: Record<OpenTurn['state'], State> = {
  queued: 'waiting',
  interrupted: 'wrong',
  running: 'working',
  waiting: 'waiting',
};

const TURNS: readonly Column<OpenTurn>[] = [
  {
    heading: 'Turn',
    cell: ({ id, kind, workspace_name, requested_by_email }) => (
      <>
        {kind} <CopyText text={id} short={8} label="Copy the id of the turn" />
        <span dir="auto" className="block text-xs text-muted">
          {workspace_name ?? 'personal'}
          {requested_by_email && `, ${requested_by_email}`}
        </span>
      </>
    ),
  },
  {
    heading: 'State',
    cell: ({ state, paused }) => (
      <Status state={paused ? 'idle' : STATES[state]}>{paused ? 'paused' : state}</Status>
    ),
  },
  { heading: 'Attempt', wide: true, align: 'right', cell: ({ attempt }) => attempt },
  { heading: 'Worker', wide: true, cell: ({ worker }) => worker ?? '' },
  { heading: 'Since', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
];
