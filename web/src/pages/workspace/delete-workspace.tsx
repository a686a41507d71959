import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { balanceQuery } from '../../data/billing.ts';
import { leaveNotice } from '../../data/notice.ts';
import { forgetWorkspace, leaveOutWorkspace } from '../../data/workspace.ts';
import { dollars } from '../../ui/amount.ts';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { Money } from '../../ui/money.tsx';
import { type Blocker, Blockers, blockersOf } from './blockers.tsx';
import { PersonField } from './person-field.tsx';
import type { Chosen } from './person-picker.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Deletes the workspace; the first page then shows the receipt. */
export function DeleteWorkspace({ onClose }: { onClose: () => void }): ReactNode {
  const { id: org_id, name } = useWorkspace();
  const navigate = useNavigate();
  const balance = useQuery(balanceQuery(org_id));
  const [blockers, setBlockers] = useState<Blocker[]>([]);
  const [chosen, choose] = useState<Chosen>();
  return (
    <ConfirmByName
      title="Delete this workspace?"
      name={name}
      submit="Delete the workspace"
      onClose={onClose}
      onSubmit={async ({ heir }) => {
        const receipt = await guildhall
          .delete('/api/organizations/{org_id}', {
            org_id,
            ...(heir && { transfer_balance_to_user_id: heir }),
          })
          .then(undefined, (error: unknown) => {
            setBlockers(blockersOf(error));
            throw error;
          });
        const { balance_transferred, balance_transferred_to_user_id: to } = receipt;
        leaveNotice(
          [
            `${name} is deleted.`,
            `Projects without an owner now: ${receipt.projects_released}.`,
            `Invitations revoked: ${receipt.invitations_revoked}.`,
            to === undefined
              ? 'There was no balance to transfer.'
              : `${dollars(balance_transferred)} went to ${to === chosen?.id ? chosen?.name : 'you'}.`,
          ].join(' '),
        );
        leaveOutWorkspace(org_id);
        await navigate({ to: '/', search: {} });
        await forgetWorkspace(org_id);
      }}
    >
      <p>
        This cannot be undone. Its projects remain, without an owner.
        {balance.data && (
          <>
            {' '}
            The balance is <Money amount={balance.data.balance} />.
          </>
        )}
      </p>
      <PersonField
        name="heir"
        label="Who gets the balance"
        org={org_id}
        placeholder="You, as the owner"
        only={({ is_owner, is_active }) => !is_owner && is_active}
        onChoose={choose}
      />
      <Blockers blockers={blockers} />
    </ConfirmByName>
  );
}
