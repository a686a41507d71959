import type { components } from '@guildhall/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ACTION_WORDS, wordsOf } from '../../data/action-words.ts';
import { guildhall } from '../../data/api.ts';
import { fieldOf, reasonOf, shownValue } from '../../data/audit-words.ts';
import { DayRange } from '../../ui/day-range.tsx';
import { ExportLinks } from '../../ui/export-links.tsx';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AuditActor, AuditTarget } from './audit-target.tsx';
import { type Chosen, PersonPicker } from './person-picker.tsx';
import { useWorkspace } from './use-workspace.ts';

type AuditEvent = components['schemas']['AuditEvent'];

const FIELD = 'w-40 rounded-box border border-edge bg-surface px-2 py-1 placeholder:text-muted';

/** Who has done what in a workspace, newest first. The filters stand in the address. */
export function AuditTrail(): ReactNode {
  const { id: org } = useWorkspace();
  const { action, actor, from, to } = useSearch({ from: '/signed-in/workspaces/$org/audit' });
  const navigate = useNavigate();
  const filter = {
    action,
    actor_user_id: actor,
    from: from && `${from}T00:00:00Z`,
    to: to && dayAfter(to),
  };
  const events = useInfiniteQuery({
    queryKey: ['workspace', org, 'audit', filter],
    initialPageParam: { org_id: org, limit: 50, ...filter },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/organizations/{org_id}/audit-events', pageParam, { signal }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: 200 }) as never,
    // The former list stays while the next one is read, so that nothing jumps.
    placeholderData: (former) => former,
  });
  const columns = useMemo(() => columnsOf(org), [org]);
  const rows = events.data?.pages.flatMap(({ items }) => items) ?? [];
  const set = (change: { action?: string; actor?: string; from?: string; to?: string }) =>
    void navigate({ to: '.', search: (search) => ({ ...search, ...change }), replace: true });
  return (
    <Section
      title="Audit trail"
      actions={<ExportLinks org={org} list="audit-events" filter={filter} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="Only this action"
          value={action}
          none="Every action"
          options={optionsWith(action)}
          onChange={(value) => set({ action: value })}
        />
        {(actor === undefined || events.data !== undefined) && (
          <PersonPicker
            org={org}
            aria-label="Only acts of"
            placeholder="Everyone"
            className={FIELD}
            first={actor === undefined ? undefined : personOf(actor, rows[0])}
            onChoose={(chosen) => set({ actor: chosen?.id })}
          />
        )}
        <DayRange from={from} to={to} onChange={set} />
      </div>
      {events.error && !events.isFetchNextPageError && (
        <Failure error={events.error} retry={() => void events.refetch()} />
      )}
      {events.data !== undefined && rows.length === 0 && (
        <Empty>
          {(action ?? actor ?? from ?? to)
            ? 'Nothing fits. Leave out the action, the person or the days.'
            : 'Nothing has happened here yet. Every change of the workspace stands here.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table label="Audit trail" rows={rows} keyOf={({ id }) => id} columns={columns} />
      )}
      <More list={events} />
    </Section>
  );
}

/** Of a filtered trail, every row is of the same person. */
function personOf(id: string, event: AuditEvent | undefined): Chosen {
  const name = event?.actor_name ?? event?.actor_email ?? 'One person';
  return { id, name, label: name };
}

/** The actions by their words. */
const ACTIONS = Object.entries(ACTION_WORDS)
  .map(([value, label]) => ({ value, label }))
  .sort((one, other) => one.label.localeCompare(other.label));

/** With one that an address asks for and no operation has. */
const optionsWith = (action: string | undefined) =>
  action === undefined || Object.hasOwn(ACTION_WORDS, action)
    ? ACTIONS
    : [{ value: action, label: wordsOf(action) }, ...ACTIONS];

const columnsOf = (org: string): readonly Column<AuditEvent>[] => [
  { heading: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  {
    heading: 'Who',
    cell: (event) => <AuditActor org={org} event={event} />,
  },
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
    heading: 'Change',
    wide: true,
    cell: (event) => <Change event={event} />,
  },
  {
    heading: 'To',
    wide: true,
    cell: (event) => <AuditTarget org={org} event={event} />,
  },
];

/** What was there before, and what after, field by field. */
function Change({ event: { before = {}, after = {} } }: { event: AuditEvent }): ReactNode {
  const [old, now] = [before, after] as Record<string, unknown>[];
  // What stayed the same is no change, although the row has all of it.
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].filter(
    (name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]),
  );
  return (
    <ul className="max-w-80 text-xs">
      {names.map((name) => (
        <li key={name} className="line-clamp-2">
          <span className="text-muted" title={name}>
            {fieldOf(name)}:
          </span>{' '}
          {old?.[name] !== undefined && `${shownValue(old[name])} → `}
          {shownValue(now?.[name])}
        </li>
      ))}
    </ul>
  );
}

/** The moment at which a day (in UTC) is over. */
function dayAfter(day: string): string | undefined {
  const start = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(start) ? undefined : new Date(start + 86_400_000).toISOString();
}
