import { type ReactNode, useState } from 'react';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';

interface Row {
  id: string;
  name: string;
  shown: ReactNode;
}

/** The people or the projects of a team, with the field that adds one. */
export function TeamList({
  title,
  thing,
  may,
  query,
  rows,
  field,
  add,
  remove,
}: {
  title: string;
  thing: 'person' | 'project';
  may: boolean;
  query: { error: unknown; refetch: () => unknown };
  rows: readonly Row[] | undefined;
  /** The field that chooses who or what is added; nothing if there is no other. */
  field: (chosen: string | undefined, choose: (id: string | undefined) => void) => ReactNode;
  add: (id: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
}): ReactNode {
  const [chosen, choose] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  return (
    <Section
      title={title}
      actions={
        may && (
          <div className="flex flex-wrap items-center gap-2">
            {field(chosen, choose)}
            {chosen !== undefined && (
              <ActButton
                icon="plus"
                onFailure={setFailure}
                act={async () => {
                  await add(chosen);
                  choose(undefined);
                }}
              >
                Add the {thing}
              </ActButton>
            )}
          </div>
        )
      }
    >
      {failure !== undefined && <Failure error={failure} />}
      {Boolean(query.error) && <Failure error={query.error} retry={() => void query.refetch()} />}
      {rows?.length === 0 && (
        <Empty>
          {thing === 'person'
            ? 'The team has no members yet. Add the first one above.'
            : 'The team has no projects yet. Its members can open those that are added to it.'}
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && (
        <Table
          label={title}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { heading: title, cell: ({ shown }) => shown },
            {
              heading: '',
              align: 'right',
              cell: ({ id, name }) =>
                may && (
                  <ActButton
                    look="quiet"
                    label={`Remove ${name}`}
                    onFailure={setFailure}
                    act={() => remove(id)}
                  >
                    Remove
                  </ActButton>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}
