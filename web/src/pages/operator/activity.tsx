import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { wordsOf } from '../../data/action-words.ts';
import { fieldOf, reasonOf, shownValue } from '../../data/audit-words.ts';
import { operatorEventsQuery } from '../../data/operator.ts';
import { CopyText } from '../../ui/copy-id.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Paged } from './paged.tsx';

type AuditEvent = components['schemas']['AuditEvent'];

/** What operators did, here and on the command line, and what others were refused. */
export function Activity(): ReactNode {
  const list = useInfiniteQuery(operatorEventsQuery);
  return (
    <Section title="Activity">
      <Paged
        label="What operators did"
        list={list}
        columns={COLUMNS}
        none="Nothing was done yet, here or on the command line."
      />
    </Section>
  );
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    heading: 'What',
    cell: ({ action, outcome, code }) => (
      <span className="flex flex-col items-start gap-0.5">
        <span title={action}>{wordsOf(action)}</span>
        {outcome === 'refused' && (
          <Status state="wrong">Refused: {reasonOf(code ?? 'unknown')}</Status>
        )}
      </span>
    ),
  },
  {
    heading: 'Who',
    cell: ({ actor_name, actor_email, actor_user_id }) => (
      <span dir="auto" title={actor_email}>
        {actor_name ?? actor_email ?? actor_user_id ?? 'command line'}
      </span>
    ),
  },
  {
    heading: 'Change',
    wide: true,
    cell: ({ after = {} }) => (
      <ul className="max-w-80 text-xs">
        {Object.entries(after).map(([name, value]) => (
          <li key={name} className="line-clamp-2">
            <span className="text-muted">{fieldOf(name)}:</span> {shownValue(value)}
          </li>
        ))}
      </ul>
    ),
  },
  {
    heading: 'To',
    wide: true,
    cell: ({ target_id }) => <CopyText text={target_id} short={8} label="Copy the id" />,
  },
  { heading: 'When', align: 'right', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
];
