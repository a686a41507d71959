import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { queries } from '../../data/queries.ts';
import { refreshWorkspace } from '../../data/workspace.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';

const EDITIONS = { community: 'Community', enterprise: 'Enterprise' };

/** Creates a project in a workspace, or a personal one. */
export function NewProject({ org, onClose }: { org?: string; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const config = useQuery(configQuery);
  const versions = config.data?.erp.versions ?? [];
  const newest = versions.find(({ status }) => status === 'supported') ?? versions[0];
  const [chosen, choose] = useState<string>();
  const version = versions.find((each) => each.version === chosen) ?? newest;
  const standard = config.data?.models.find(({ is_default }) => is_default);
  return (
    <Dialog title={org === undefined ? 'New personal project' : 'New project'} onClose={onClose}>
      {config.error && <Failure error={config.error} retry={() => void config.refetch()} />}
      {/* The form is there at once, so that its first field gets the focus. */}
      <Form
        disabled={version === undefined}
        submit="Create the project"
        onCancel={onClose}
        onSubmit={async ({ name = '', erp_edition, plan_approval, spend_cap = '', model }) => {
          if (version === undefined) return;
          const { id } = await guildhall.post('/api/projects', {
            body: {
              name,
              erp_version: version.version,
              erp_edition: erp_edition === 'enterprise' ? 'enterprise' : 'community',
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
        {version !== undefined && (
          <>
            <SelectField
              name="erp_version"
              label="Odoo version"
              defaultValue={version.version}
              onChange={choose}
              options={versions.map((each) => ({
                value: each.version,
                label: `${each.version}${each.status === 'end_of_life' ? ' (end of life)' : ''}`,
              }))}
            />
            <SelectField
              key={version.version}
              name="erp_edition"
              label="Edition"
              options={version.editions.map((value) => ({ value, label: EDITIONS[value] }))}
            />
          </>
        )}
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
