import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { workspacesQuery } from '../../data/lists.ts';
import { refreshProject } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField } from '../../ui/form.tsx';
import type { Project } from './project.ts';

const MYSELF = 'myself';

const TEXTS = {
  transfer: {
    title: 'Transfer the project',
    what: 'Roles that members of its workspace have on it end, and its teams leave it. Outside collaborators stay. The next owner pays for later work.',
    submit: 'Transfer the project',
  },
  claim: {
    title: 'Claim the project',
    what: 'The roles of other people on it stay. Its new owner pays for later work.',
    submit: 'Claim the project',
  },
} as const;

/** Gives a project to a workspace of the person, or to the person. */
export function ChangeOwner({
  project,
  how,
  onClose,
}: {
  project: Project;
  how: 'transfer' | 'claim';
  onClose: () => void;
}): ReactNode {
  const workspaces = useQuery(workspacesQuery);
  const [owner, setOwner] = useState<string>();
  const { title, what, submit } = TEXTS[how];
  const choices = [
    ...(workspaces.data ?? [])
      .filter(({ id }) => id !== project.organization_id)
      .map(({ id, name }) => ({ value: id, label: name })),
    ...(project.owner_user_id ? [] : [{ value: MYSELF, label: 'Myself, as a personal project' }]),
  ];
  const chosen = owner ?? choices[0]?.value;
  if (workspaces.error)
    return (
      <Dialog title={title} onClose={onClose}>
        <Failure error={workspaces.error} retry={() => void workspaces.refetch()} />
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{what}</p>
      {workspaces.data && choices.length === 0 && (
        <>
          <p>You have no other workspace. Create one, then come back.</p>
          <div>
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      )}
      {workspaces.data && choices.length > 0 && (
        <Form
          submit={submit}
          onCancel={onClose}
          onSubmit={async () => {
            const call = {
              project_id: project.id,
              body: chosen === MYSELF || chosen === undefined ? {} : { organization_id: chosen },
            };
            if (how === 'claim') await guildhall.post('/api/projects/{project_id}/claim', call);
            else await guildhall.post('/api/projects/{project_id}/transfer', call);
            await queries.invalidateQueries({ queryKey: ['projects'] });
            await refreshProject(project.id);
            onClose();
          }}
        >
          <SelectField
            name="organization_id"
            label="New owner"
            options={choices}
            {...(chosen !== undefined && { defaultValue: chosen })}
            onChange={setOwner}
          />
        </Form>
      )}
    </Dialog>
  );
}
