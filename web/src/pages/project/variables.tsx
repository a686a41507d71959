import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshProject, variablesQuery } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { SetVariable } from './set-variable.tsx';

type Variable = components['schemas']['ProjectVariable'];

type Open = 'add' | { act: 'replace' | 'remove'; variable: Variable };

const titleOf = ({ name, stage }: Variable) => (stage === undefined ? name : `${name} (${stage})`);

/** The variables of a project, for those who may set them. */
export function Variables({ projectId }: { projectId: string }): ReactNode {
  const query = useQuery(variablesQuery(projectId));
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const rows = query.data ?? [];
  return (
    <Section
      title="Variables"
      actions={
        <Button icon="plus" onClick={() => setOpen('add')}>
          Add a variable
        </Button>
      }
    >
      <p className="max-w-prose text-muted">
        Variables of the environment in which agents, checks and deploys run. Checks run code that
        nobody has approved yet: what must stay with merged commits is for deploys alone.
      </p>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && rows.length === 0 && <Empty>No variables yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label="Variables"
          rows={rows}
          keyOf={({ name, stage = '' }) => `${name} ${stage}`}
          columns={[
            {
              heading: 'Name',
              cell: (row) => <span className="font-medium break-all">{titleOf(row)}</span>,
            },
            { heading: 'Value', cell: (row) => <Value variable={row} /> },
            { heading: 'For', cell: ({ purposes }) => purposes.join(', ') },
            { heading: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
            {
              heading: '',
              align: 'right',
              cell: (variable) => (
                <span className="flex justify-end gap-2">
                  <Button
                    aria-label={`Replace ${titleOf(variable)}`}
                    onClick={() => setOpen({ act: 'replace', variable })}
                  >
                    Replace
                  </Button>
                  <Button
                    aria-label={`Remove ${titleOf(variable)}`}
                    onClick={() => setOpen({ act: 'remove', variable })}
                  >
                    Remove
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {open === 'add' && <SetVariable projectId={projectId} onClose={close} />}
      {typeof open === 'object' && open.act === 'replace' && (
        <SetVariable projectId={projectId} before={open.variable} onClose={close} />
      )}
      {typeof open === 'object' && open.act === 'remove' && (
        <Remove projectId={projectId} variable={open.variable} onClose={close} />
      )}
    </Section>
  );
}

function Value({ variable: { secret, value = '' } }: { variable: Variable }): ReactNode {
  if (secret) return <span className="text-muted">set, hidden</span>;
  if (value === '') return <span className="text-muted">empty</span>;
  return <code className="line-clamp-3 max-w-sm break-all whitespace-pre-wrap">{value}</code>;
}

function Remove({
  projectId,
  variable,
  onClose,
}: {
  projectId: string;
  variable: Variable;
  onClose: () => void;
}): ReactNode {
  const { name, stage, secret } = variable;
  return (
    <Confirm
      title={`Remove ${titleOf(variable)}?`}
      submit="Remove the variable"
      onClose={onClose}
      act={async () => {
        await guildhall.delete('/api/projects/{project_id}/variables/{name}', {
          project_id: projectId,
          name,
          ...(stage !== undefined && { stage }),
        });
        await refreshProject(projectId);
      }}
    >
      <p>
        The next agent, check or deploy does not get it any more.
        {secret && ' The secret still works where it was made for: withdraw it there, too.'}
      </p>
    </Confirm>
  );
}
