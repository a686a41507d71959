import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { leaveNotice } from '../../data/notice.ts';
import { membersQuery, refreshWorkspace } from '../../data/workspace.ts';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { CheckField, SelectField } from '../../ui/form.tsx';
import { type Blocker, Blockers, blockersOf } from './blockers.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Gives the workspace to another member. Blockers are shown, and can be overridden. */
export function TransferOwnership({ onClose }: { onClose: () => void }): ReactNode {
  const { id: org_id, name } = useWorkspace();
  const navigate = useNavigate();
  const members = useQuery(membersQuery(org_id));
  const [blockers, setBlockers] = useState<Blocker[]>([]);
  const candidates = members.data?.filter(({ is_owner, is_active }) => !is_owner && is_active);
  const labels = new Map(
    candidates?.map((each) => [each.user_id, each.name ?? each.email] as const),
  );
  return (
    <ConfirmByName
      title="Transfer this workspace?"
      name={name}
      submit="Transfer the workspace"
      onClose={onClose}
      onSubmit={async ({ new_owner_user_id = '', force }) => {
        try {
          await guildhall.post('/api/organizations/{org_id}/transfer-ownership', {
            org_id,
            body: { new_owner_user_id, force: force !== undefined },
          });
        } catch (error) {
          setBlockers(blockersOf(error));
          throw error;
        }
        leaveNotice(`${labels.get(new_owner_user_id)} now owns ${name}. You are an admin there.`);
        await refreshWorkspace(org_id);
        await navigate({ to: '/', search: {} });
      }}
    >
      {candidates?.length === 0 && (
        <p>You are the only active member. Invite the new owner first.</p>
      )}
      <SelectField
        name="new_owner_user_id"
        label="New owner"
        options={[...labels].map(([value, label]) => ({ value, label }))}
      />
      <Blockers blockers={blockers} />
      {blockers.length > 0 && (
        <CheckField
          name="force"
          label="Transfer it all the same"
          hint="Auto-reload is switched off if it charges a card of yours."
        />
      )}
    </ConfirmByName>
  );
}
