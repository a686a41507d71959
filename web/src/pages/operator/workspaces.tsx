import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  allWorkspacesQuery,
  type OperatedWorkspace,
  refreshOperator,
} from '../../data/operator.ts';
import { Button } from '../../ui/button.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Grant } from './grant.tsx';
import { Paged, useWanted } from './paged.tsx';

/** All workspaces; nothing of what is in them. */
export function Workspaces(): ReactNode {
  const [q, setQ] = useWanted();
  const list = useInfiniteQuery(allWorkspacesQuery(q));
  const [granting, setGranting] = useState<OperatedWorkspace>();
  const [done, setDone] = useState<string>();
  const columns = useMemo(() => columnsOf(setGranting), []);
  return (
    <Section title="Workspaces">
      {done !== undefined && <Notice onClose={() => setDone(undefined)}>{done}</Notice>}
      <SearchField label="Search workspaces by name" value={q} onChange={setQ} />
      <Paged label="Workspaces" list={list} columns={columns} none="No workspace fits." />
      {granting && (
        <Grant
          to={granting.name}
          onClose={() => setGranting(undefined)}
          grant={(body) =>
            guildhall.post('/api/operator/organizations/{org_id}/credits', {
              org_id: granting.id,
              body,
            })
          }
          onDone={async (balance) => {
            setDone(`${granting.name} has a balance of ${balance} now.`);
            await refreshOperator();
          }}
        />
      )}
    </Section>
  );
}

const columnsOf = (
  grant: (workspace: OperatedWorkspace) => void,
): readonly Column<OperatedWorkspace>[] => [
  { heading: 'Name', cell: ({ name }) => <span dir="auto">{name}</span> },
  {
    heading: 'Owner',
    wide: true,
    cell: ({ owner_email, owner_name, owner_is_active }) => (
      <>
        <span dir="auto" title={owner_email}>
          {owner_name ?? owner_email}
        </span>{' '}
        {!owner_is_active && <Status state="idle">deactivated</Status>}
      </>
    ),
  },
  { heading: 'Members', wide: true, align: 'right', cell: ({ members }) => members },
  { heading: 'Projects', wide: true, align: 'right', cell: ({ projects }) => projects },
  { heading: 'Balance', align: 'right', cell: ({ balance }) => <Money amount={balance} /> },
  {
    heading: 'Created',
    wide: true,
    align: 'right',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    heading: '',
    align: 'right',
    cell: (workspace) => (
      <Button aria-label={`Grant credits to ${workspace.name}`} onClick={() => grant(workspace)}>
        Grant
      </Button>
    ),
  },
];
