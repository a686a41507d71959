import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { leaveNotice } from '../../data/notice.ts';
import { type Member, membersQuery, refreshWorkspace } from '../../data/workspace.ts';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { CheckField } from '../../ui/form.tsx';
import { type Blocker, Blockers, blockersOf } from './blockers.tsx';
import { PersonField } from './person-field.tsx';
import type { Chosen } from './person-picker.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Gives the workspace to another member. Blockers are shown, and can be overridden. */
export function TransferOwnership({ onClose }: { onClose: () => void }): ReactNode {
  const { id: org_id, name } = useWorkspace();
  const navigate = useNavigate();
  const members = useQuery(membersQuery(org_id));
  const [blockers, setBlockers] = useState<Blocker[]>([]);
  const [owner, setOwner] = useState<Chosen>();
  const { items, next } = members.data ?? {};
  return (
    <ConfirmByName
      title="Transfer this workspace?"
      name={name}
      submit="Transfer the workspace"
      ready={owner !== undefined}
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
        leaveNotice(`${owner?.name} now owns ${name}. You are an admin there.`);
        await refreshWorkspace(org_id);
        await navigate({ to: '/', search: {} });
      }}
    >
      {items && next === undefined && !items.some(mayOwn) && (
        <p>You are the only active member. Invite the new owner first.</p>
      )}
      <PersonField
        name="new_owner_user_id"
        label="New owner"
        org={org_id}
        placeholder="A part of the name or address"
        only={mayOwn}
        onChoose={setOwner}
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

const mayOwn = ({ is_owner, is_active }: Member) => !is_owner && is_active;
