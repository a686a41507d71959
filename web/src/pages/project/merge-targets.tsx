import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { mergeTargetsQuery, refreshProject } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { HelpLink } from '../../ui/help-link.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';

type Target = components['schemas']['MergeTarget'];

/** The branches that tasks are merged into, and the stage that each deploys to. */
export function MergeTargets({ projectId, may }: { projectId: string; may: boolean }): ReactNode {
  const query = useQuery(mergeTargetsQuery(projectId));
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const targets = query.data?.targets ?? [];

  // The whole list is replaced: the ETag keeps a change that another person made meanwhile.
  async function replace(next: readonly Target[]): Promise<void> {
    const ifMatch = query.data?.etag;
    try {
      await guildhall.put(
        '/api/projects/{project_id}/merge-targets',
        { project_id: projectId, body: [...next] },
        ifMatch === undefined ? {} : { ifMatch },
      );
    } finally {
      await refreshProject(projectId);
    }
  }
  async function remove({ branch }: Target): Promise<void> {
    setBusy(branch);
    setFailure(undefined);
    try {
      await replace(targets.filter((target) => target.branch !== branch));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(undefined);
    }
  }
  return (
    <Section
      title="Merge targets"
      actions={
        may && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add a target
          </Button>
        )
      }
    >
      <p>
        <HelpLink topic="merge-targets">How merge targets work</HelpLink>
      </p>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {failure !== undefined && <Failure error={failure} />}
      {query.data && targets.length === 0 && (
        <Empty>
          No merge targets. Tasks are merged only into a branch that is listed here, with its stage.
        </Empty>
      )}
      {targets.length > 0 && (
        <Table
          label="Merge targets"
          rows={targets}
          keyOf={({ branch }) => branch}
          columns={[
            {
              heading: 'Branch',
              cell: ({ branch }) => <span className="font-medium break-all">{branch}</span>,
            },
            { heading: 'Stage', cell: ({ stage }) => stage },
            {
              heading: '',
              align: 'right',
              cell: (target) =>
                may && (
                  <Button
                    busy={busy === target.branch}
                    aria-label={`Remove ${target.branch}`}
                    onClick={() => void remove(target)}
                  >
                    Remove
                  </Button>
                ),
            },
          ]}
        />
      )}
      {adding && (
        <Dialog title="Add a merge target" onClose={() => setAdding(false)}>
          <Form
            submit="Add"
            onCancel={() => setAdding(false)}
            onSubmit={async ({ branch = '', stage }) => {
              const added: Target = {
                branch: branch.trim(),
                stage: stage === 'production' ? 'production' : 'staging',
              };
              await replace([...targets, added]);
              setAdding(false);
            }}
          >
            <TextField
              name="branch"
              label="Branch"
              required
              hint="It need not exist yet."
              placeholder="staging"
            />
            <SelectField
              name="stage"
              label="Stage"
              options={[
                { value: 'staging', label: 'Staging' },
                { value: 'production', label: 'Production' },
              ]}
            />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}
