import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { projectInvitationsQuery, refreshProject } from '../../data/project.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { RoleField, roleOf } from './role-field.tsx';

type Invitation = components['schemas']['ProjectInvitation'];

/** Invites an outside collaborator; shows the link of the invitation, if the answer has it. */
export function Invite({
  projectId,
  orgId,
  onClose,
}: {
  projectId: string;
  orgId: string | undefined;
  onClose: () => void;
}): ReactNode {
  const [sent, setSent] = useState<Invitation>();
  if (sent)
    return (
      <Dialog title="Invitation sent" onClose={onClose}>
        <p className="break-words">
          {sent.email} is invited as {sent.role_name}. The invitation ends in seven days.
        </p>
        {sent.invite_link && <CopyText text={sent.invite_link} label="Copy the link" />}
        <div>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Invite a collaborator" onClose={onClose}>
      <p>They can open this project alone. Members of the workspace need no invitation.</p>
      <Form
        submit="Send the invitation"
        onCancel={onClose}
        onSubmit={async ({ email = '', role = '' }) => {
          const invitation = await guildhall.post('/api/projects/{project_id}/invitations', {
            project_id: projectId,
            body: { email: email.trim(), ...roleOf(role) },
          });
          await refreshProject(projectId);
          setSent(invitation);
        }}
      >
        <TextField name="email" label="E-mail address" type="email" required />
        <RoleField orgId={orgId} />
      </Form>
    </Dialog>
  );
}

/** Invitations to the project that are not accepted yet. Nothing if there are none. */
export function PendingInvitations({ projectId }: { projectId: string }): ReactNode {
  const invitations = useQuery(projectInvitationsQuery(projectId));
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState<string>();

  async function act(invitation: Invitation, what: () => Promise<unknown>): Promise<void> {
    setFailure(undefined);
    setBusy(invitation.id);
    try {
      await what();
      await refreshProject(projectId);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(undefined);
    }
  }
  // An open invitation of the same address is renewed, with a new link.
  const resend = ({ email, role_id }: Invitation) =>
    guildhall.post('/api/projects/{project_id}/invitations', {
      project_id: projectId,
      body: { email, role_id },
    });
  const revoke = ({ id }: Invitation) =>
    guildhall.delete('/api/projects/{project_id}/invitations/{invitation_id}', {
      project_id: projectId,
      invitation_id: id,
    });

  if (invitations.error)
    return <Failure error={invitations.error} retry={() => void invitations.refetch()} />;
  if (!invitations.data || (invitations.data.length === 0 && failure === undefined)) return null;
  return (
    <Section title="Pending invitations">
      {failure !== undefined && <Failure error={failure} />}
      <Table
        label="Pending invitations"
        rows={invitations.data}
        keyOf={({ id }) => id}
        columns={[
          {
            heading: 'Address',
            cell: ({ email, role_name }) => (
              <div className="flex min-w-0 flex-col sm:max-w-sm">
                <span title={email} className="truncate font-medium">
                  {email}
                </span>
                <span dir="auto" className="truncate text-xs text-muted">
                  {role_name}
                </span>
              </div>
            ),
          },
          {
            heading: 'Ends',
            cell: ({ status, expires_at }) =>
              status === 'expired' ? (
                <Status state="idle">Expired</Status>
              ) : (
                <Time at={expires_at} />
              ),
          },
          { heading: 'By', wide: true, cell: ({ invited_by_name }) => invited_by_name },
          {
            heading: '',
            align: 'right',
            cell: (invitation) => (
              <ActsMenu
                label={`Acts on the invitation of ${invitation.email}`}
                acts={[
                  {
                    label: 'Send again',
                    disabled: busy === invitation.id,
                    onSelect: () => void act(invitation, () => resend(invitation)),
                  },
                  {
                    label: 'Revoke',
                    danger: true,
                    disabled: busy === invitation.id,
                    onSelect: () => void act(invitation, () => revoke(invitation)),
                  },
                ]}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
