import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshProject } from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, Form, SelectField, TextArea, TextField } from '../../ui/form.tsx';

type Variable = components['schemas']['ProjectVariable'];

const PURPOSES = [
  { purpose: 'setup', label: 'Setup of the environment' },
  { purpose: 'agent', label: 'Agents', hint: 'A turn that plans gets no secret.' },
  { purpose: 'checks', label: 'Checks', hint: 'They run code that nobody has approved yet.' },
  { purpose: 'deploy', label: 'Deploys', hint: 'They run commits that were merged.' },
] as const;

const STAGES = [
  { value: '', label: 'Every stage' },
  { value: 'staging', label: 'Staging' },
  { value: 'production', label: 'Production' },
];

/** Adds a variable, or replaces one as a whole: a secret is never read back. */
export function SetVariable({
  projectId,
  before,
  onClose,
}: {
  projectId: string;
  before?: Variable;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog
      title={before === undefined ? 'Add a variable' : `Replace ${before.name}`}
      onClose={onClose}
    >
      <Form
        submit={before === undefined ? 'Add' : 'Replace'}
        onCancel={onClose}
        onSubmit={async (values) => {
          const stage = before === undefined ? values.stage : before.stage;
          await guildhall.put('/api/projects/{project_id}/variables/{name}', {
            project_id: projectId,
            name: before?.name ?? (values.name ?? '').trim(),
            body: {
              value: linesOf(values.value ?? ''),
              secret: values.secret === 'on',
              purposes: PURPOSES.map(({ purpose }) => purpose).filter(
                (purpose) => values[purpose] === 'on',
              ),
              ...((stage === 'staging' || stage === 'production') && { stage }),
            },
          });
          await refreshProject(projectId);
          onClose();
        }}
      >
        {before === undefined && (
          <TextField
            name="name"
            label="Name"
            required
            autoComplete="off"
            spellCheck="false"
            placeholder="PIP_INDEX_URL"
            hint="Letters, digits and underscores, as in a shell."
          />
        )}
        <TextArea
          name="value"
          label="Value"
          defaultValue={before?.value ?? ''}
          hint={before?.secret ? 'The value that is there is not shown: give it anew.' : undefined}
        />
        <CheckField
          name="secret"
          label="Secret"
          defaultChecked={before?.secret ?? true}
          hint="Stored encrypted, never shown again, and hidden in logs and events."
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1 font-medium">Who gets it</legend>
          {PURPOSES.map(({ purpose, label, ...more }) => (
            <CheckField
              key={purpose}
              name={purpose}
              label={label}
              defaultChecked={before?.purposes.includes(purpose) ?? false}
              {...more}
            />
          ))}
        </fieldset>
        {before === undefined && (
          <SelectField
            name="stage"
            label="Stage of deploys"
            options={STAGES}
            hint="A value for one stage is for deploys alone."
          />
        )}
      </Form>
    </Dialog>
  );
}

/** A form sends line ends as CR and LF, whatever was typed. */
const linesOf = (value: string) => value.replaceAll('\r\n', '\n');
