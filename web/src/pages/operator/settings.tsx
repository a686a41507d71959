import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { settingsQuery } from '../../data/operator.ts';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Table } from '../../ui/table.tsx';

const SOURCES = {
  environment: 'environment',
  file: 'a file',
  default: 'default',
  unset: 'not set',
};

/** The settings as they are. */
export function Settings(): ReactNode {
  const settings = useQuery(settingsQuery);
  const [q, setQ] = useState<string>();
  if (settings.error)
    return <Failure error={settings.error} retry={() => void settings.refetch()} />;
  const rows = (settings.data ?? []).filter(({ name }) => name.includes((q ?? '').toUpperCase()));
  return (
    <Section title="Settings">
      <p className="max-w-prose text-muted">
        Of the server process that answers. They are set where it is started, and read at its start.
      </p>
      <SearchField label="Search settings by name" value={q} onChange={setQ} />
      {settings.data && rows.length === 0 && <Empty>No setting has such a name.</Empty>}
      {rows.length > 0 && (
        <Table
          label="Settings"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { heading: 'Name', cell: ({ name }) => <code className="text-xs">{name}</code> },
            {
              heading: 'Value',
              cell: ({ value, source }) =>
                value ?? (
                  <span className="text-muted">{source === 'unset' ? '–' : 'set, not shown'}</span>
                ),
            },
            { heading: 'From', wide: true, cell: ({ source }) => SOURCES[source] },
          ]}
        />
      )}
    </Section>
  );
}
