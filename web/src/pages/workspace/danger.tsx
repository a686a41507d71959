import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { leaveNotice } from '../../data/notice.ts';
import { forgetWorkspace, leaveOutWorkspace } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmByName } from '../../ui/confirm.tsx';
import { Section } from '../../ui/page.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { TransferOwnership } from './transfer-ownership.tsx';
import { useWorkspace } from './use-workspace.ts';

/** What cannot be undone by oneself: to leave, to give the workspace away, to delete it; and what to keep of it before. */
export function Danger(): ReactNode {
  const { id: org, is_owner } = useWorkspace();
  const [open, setOpen] = useState<'leave' | 'transfer' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Section title="Leave">
        <p className="max-w-prose text-muted">
          {is_owner
            ? 'You own this workspace: transfer it to another member, then leave.'
            : 'You lose your teams and your roles on projects here. To return, you need an invitation.'}
        </p>
        <div>
          <Button icon="leave" disabled={is_owner} onClick={() => setOpen('leave')}>
            Leave the workspace
          </Button>
        </div>
      </Section>
      {is_owner && (
        <>
          <Section title="Export">
            <p className="max-w-prose text-muted">
              One file with its people, roles, teams, open invitations, projects, tasks and plans,
              which <code>guildhall import</code> reads on another server. It holds no keys, cards
              or balances. That it was made stands in the audit trail.
            </p>
            <p>
              <a href={`/api/organizations/${org}/export`} download className="text-link underline">
                Export the workspace
              </a>
            </p>
          </Section>
          <Section title="Transfer ownership">
            <p className="max-w-prose text-muted">
              Another member becomes the owner at once, and you become an admin.
            </p>
            <div>
              <Button onClick={() => setOpen('transfer')}>Transfer the workspace</Button>
            </div>
          </Section>
          <Section title="Delete">
            <p className="max-w-prose text-muted">
              Its members, teams, roles and invitations go for ever. Its projects remain without an
              owner, and its balance goes to a person.
            </p>
            <div>
              <Button look="danger" onClick={() => setOpen('delete')}>
                Delete the workspace
              </Button>
            </div>
          </Section>
        </>
      )}
      {open === 'leave' && <Leave onClose={close} />}
      {open === 'transfer' && <TransferOwnership onClose={close} />}
      {open === 'delete' && <DeleteWorkspace onClose={close} />}
    </>
  );
}

function Leave({ onClose }: { onClose: () => void }): ReactNode {
  const { id: org_id, name } = useWorkspace();
  const navigate = useNavigate();
  return (
    <ConfirmByName
      title="Leave this workspace?"
      name={name}
      submit="Leave the workspace"
      onClose={onClose}
      onSubmit={async () => {
        const { teams_left } = await guildhall.post('/api/organizations/{org_id}/leave', {
          org_id,
        });
        leaveNotice(`You have left ${name}. Teams left: ${teams_left}.`);
        leaveOutWorkspace(org_id);
        await navigate({ to: '/', search: {} });
        await forgetWorkspace(org_id);
      }}
    >
      <p>Your running tasks go on, paid by the workspace.</p>
    </ConfirmByName>
  );
}
