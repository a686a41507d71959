import type { components } from '@guildhall/client';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField } from '../../ui/form.tsx';
import { PersonName } from '../../ui/people.tsx';
import { assignable, type Role } from './roles-to-give.ts';
import { useWorkspace } from './use-workspace.ts';

type Member = components['schemas']['Member'];

/** What the removal of a member has taken with it. */
export interface Receipt {
  name: string;
  teams_left: number;
  overrides_removed: number;
}

/** One member: who they are, and their role, which those change who may. */
export function MemberDialog({
  org,
  member,
  roles,
  onRemove,
  onClose,
}: {
  org: string;
  member: Member;
  roles: readonly Role[];
  onRemove: () => void;
  onClose: () => void;
}): ReactNode {
  const { user_id, name, email, is_owner, role_id, role_name, teams, two_factor_enabled } = member;
  // Who may invite people may change and remove them.
  const may = useWorkspace().available_actions.includes('create_invitation');
  return (
    <Dialog title="Member" onClose={onClose}>
      <PersonName name={name} email={email} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {!may && (
          <>
            <dt className="text-muted">Role</dt>
            <dd dir="auto">{role_name}</dd>
          </>
        )}
        <dt className="text-muted">Teams</dt>
        <dd dir="auto">{teams.map((team) => team.name).join(', ') || 'None'}</dd>
        <dt className="text-muted">Two factors</dt>
        <dd>{two_factor_enabled ? 'Yes' : 'No'}</dd>
        <dt className="text-muted">Id</dt>
        <dd>
          <CopyText text={user_id} label="Copy the id of the person" />
        </dd>
      </dl>
      {is_owner ? (
        <p className="text-muted">
          They own this workspace. Another owner is chosen under “Leave or delete”.
        </p>
      ) : (
        may &&
        roles.length > 0 && (
          <>
            <Form
              submit="Save the role"
              onCancel={onClose}
              onSubmit={async ({ role_id: chosen }) => {
                await guildhall.put('/api/organizations/{org_id}/members/{user_id}', {
                  org_id: org,
                  user_id,
                  body: { role_id: chosen },
                });
                await refreshWorkspace(org);
                onClose();
              }}
            >
              <SelectField
                name="role_id"
                label="Role"
                defaultValue={role_id}
                options={assignable(roles)}
              />
            </Form>
            <div className="border-t border-line pt-3">
              <Button onClick={onRemove}>Remove from the workspace</Button>
            </div>
          </>
        )
      )}
    </Dialog>
  );
}

/** Removes a member, and says what went with them. */
export function RemoveMember({
  org,
  member,
  onRemoved,
  onClose,
}: {
  org: string;
  member: Member;
  onRemoved: (receipt: Receipt) => void;
  onClose: () => void;
}): ReactNode {
  const name = member.name ?? member.email;
  return (
    <ConfirmByName
      title="Remove this member?"
      name={name}
      submit="Remove the member"
      onClose={onClose}
      onSubmit={async () => {
        const receipt = await guildhall.delete('/api/organizations/{org_id}/members/{user_id}', {
          org_id: org,
          user_id: member.user_id,
        });
        onRemoved({ ...receipt, name });
        onClose();
        await refreshWorkspace(org);
      }}
    >
      <p>
        They lose their teams and their roles on projects here, at once. Their running tasks go on,
        paid by the workspace.
      </p>
    </ConfirmByName>
  );
}
