import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace, rolesQuery, teamsQuery } from '../../data/workspace.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, SelectField, TextField } from '../../ui/form.tsx';
import { assignable } from './roles-to-give.ts';

/** Invites a person to the workspace, with a role and teams. */
export function NewInvitation({
  org,
  onInvited,
  onClose,
}: {
  org: string;
  onInvited: (notice: string) => void;
  onClose: () => void;
}): ReactNode {
  const roles = useQuery(rolesQuery(org));
  const teams = useQuery(teamsQuery(org));
  return (
    <Dialog title="Invite to the workspace" onClose={onClose}>
      {roles.error && <Failure error={roles.error} retry={() => void roles.refetch()} />}
      {/* The form is there at once, so that its first field gets the focus. */}
      <Form
        disabled={roles.data === undefined}
        submit="Send the invitation"
        onCancel={onClose}
        onSubmit={async ({ email = '', role_id = '', ...rest }) => {
          const team_ids = teams.data
            ?.map(({ id }) => id)
            .filter((id) => rest[`team ${id}`] !== undefined);
          await guildhall.post('/api/organizations/{org_id}/invitations', {
            org_id: org,
            body: { email, role_id, ...(team_ids?.length && { team_ids }) },
          });
          onInvited(`The invitation is on its way to ${email}.`);
          onClose();
          await refreshWorkspace(org);
        }}
      >
        <TextField name="email" label="E-mail address" inputMode="email" required />
        {roles.data && (
          <SelectField
            name="role_id"
            label="Role"
            defaultValue={
              roles.data.find(({ slug, scope }) => slug === 'member' && scope === 'workspace')?.id
            }
            options={assignable(roles.data)}
          />
        )}
        {teams.data !== undefined && teams.data.length > 0 && (
          <fieldset className="flex max-h-48 flex-col gap-1 overflow-y-auto">
            <legend className="mb-1 font-medium">Teams</legend>
            {teams.data.map(({ id, name }) => (
              <CheckField key={id} name={`team ${id}`} label={name} />
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  );
}
