import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery, useMayCreate } from '../../data/config.ts';
import { queries } from '../../data/queries.ts';
import { refreshWorkspace } from '../../data/workspace.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';

/** Creates a project in a workspace, or a personal one. Its page asks for its code next. */
export function NewProject({ org, onClose }: { org?: string; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const config = useQuery(configQuery);
  const may = useMayCreate();
  const standard = config.data?.models.find(({ is_default }) => is_default);
  if (org === undefined && !may.personal)
    return (
      <Dialog title="New personal project" onClose={onClose}>
        <p>
          {may.projects
            ? 'This server has no personal projects: create the project in a workspace.'
            : 'On this server only operators create projects: ask one to create it.'}
        </p>
      </Dialog>
    );
  return (
    <Dialog title={org === undefined ? 'New personal project' : 'New project'} onClose={onClose}>
      {config.error && <Failure error={config.error} retry={() => void config.refetch()} />}
      {/* The form is there at once, so that its first field gets the focus. */}
      <Form
        submit="Create the project"
        onCancel={onClose}
        onSubmit={async ({ name = '', plan_approval, spend_cap = '', model }) => {
          const { id } = await guildhall.post('/api/projects', {
            body: {
              name,
              plan_approval: plan_approval === 'automatic' ? 'automatic' : 'required',
              ...(org && { organization_id: org }),
              ...(model && { default_model: model }),
              ...(spend_cap.trim() !== '' && { spend_cap: spend_cap.trim() }),
            },
          });
          await queries.invalidateQueries({ queryKey: ['projects'] });
          if (org !== undefined) await refreshWorkspace(org);
          await navigate({ to: '/projects/$project', params: { project: id } });
        }}
      >
        <TextField name="name" label="Name" dir="auto" autoComplete="off" required />
        <p className="text-muted">
          Its page takes its code next: from a Git address, or by a push.
        </p>
        <SelectField
          name="plan_approval"
          label="Plans"
          options={[
            { value: 'required', label: 'A person approves each plan before it is built' },
            { value: 'automatic', label: 'Each plan is built without an approval' },
          ]}
        />
        <SelectField
          name="model"
          label="Model"
          options={[
            { value: '', label: standard ? `The default: ${standard.name}` : 'The default' },
            ...(config.data?.models ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <TextField
          name="spend_cap"
          label="Spending cap in USD"
          inputMode="decimal"
          hint="Tasks pause before the project as a whole would cost more. Empty: no cap."
        />
      </Form>
    </Dialog>
  );
}
