import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { invitationsQuery, refreshWorkspace } from '../../data/workspace.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { BulkAct, useSelection } from '../../ui/selection.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewInvitation } from './new-invitation.tsx';
import { useWorkspace } from './use-workspace.ts';

type Invitation = components['schemas']['Invitation'];

const NONE: readonly Invitation[] = [];
const idOf = ({ id }: Invitation): string => id;
const emailOf = ({ email }: Invitation): string => email;

/** The invitations that have not been answered, and new ones. */
export function WorkspaceInvitations(): ReactNode {
  const { id: org } = useWorkspace();
  const { create } = useSearch({ from: '/signed-in/workspaces/$org/invitations' });
  const navigate = useNavigate();
  const invitations = useQuery(invitationsQuery(org));
  const mail = useQuery(configQuery).data?.features.mail ?? true;
  const [failure, setFailure] = useState<unknown>();
  const [notice, setNotice] = useState<string>();

  async function act(done: string, run: () => PromiseLike<unknown>): Promise<void> {
    setFailure(undefined);
    setNotice(undefined);
    const failed = await run().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // Whoever reads of a new link copies it from the list.
    await refreshWorkspace(org);
    if (failed === undefined) setNotice(done);
    else setFailure(failed.error);
  }
  const resend = (invitation_id: string, email: string) =>
    act(
      mail
        ? `A new link is on its way to ${email}. The earlier one no longer works.`
        : `There is a new link for ${email}: copy it and send it. The earlier one no longer works.`,
      () =>
        guildhall.post('/api/organizations/{org_id}/invitations/{invitation_id}/resend', {
          org_id: org,
          invitation_id,
        }),
    );
  const remove = (invitation_id: string) =>
    guildhall.delete('/api/organizations/{org_id}/invitations/{invitation_id}', {
      org_id: org,
      invitation_id,
    });
  const revoke = (invitation_id: string, email: string) =>
    act(`The invitation of ${email} is revoked, and its link no longer works.`, () =>
      remove(invitation_id),
    );
  const rows = invitations.data ?? NONE;
  const selection = useSelection(rows, idOf, emailOf);
  return (
    <Section
      title="Invitations"
      actions={
        <ButtonLink
          to="/workspaces/$org/invitations"
          params={{ org }}
          search={{ create: true }}
          icon="plus"
          look="primary"
        >
          Invite
        </ButtonLink>
      }
    >
      {notice !== undefined && <Notice onClose={() => setNotice(undefined)}>{notice}</Notice>}
      {failure !== undefined && <Failure error={failure} />}
      {invitations.error && (
        <Failure error={invitations.error} retry={() => void invitations.refetch()} />
      )}
      {invitations.data !== undefined && rows.length === 0 && (
        <Empty>No invitation is open. Invite people by their e-mail address.</Empty>
      )}
      <BulkAct
        selection={selection}
        label={(some) => `Revoke ${some}`}
        things={['invitation', 'invitations']}
        warning="Their links no longer work. You can invite the same people again."
        danger
        run={remove}
        onDone={() => refreshWorkspace(org)}
      />
      {rows.length > 0 && (
        <Table
          label="Invitations"
          rows={rows}
          keyOf={idOf}
          selection={selection}
          columns={[
            {
              heading: 'Address',
              cell: ({ email, invited_by_name, status }) => (
                <span className="flex flex-col sm:max-w-64">
                  <span title={email} className="truncate font-medium">
                    {email}
                  </span>
                  {invited_by_name && (
                    <span dir="auto" className="truncate text-xs text-muted">
                      from {invited_by_name}
                    </span>
                  )}
                  {status === 'expired' && (
                    <span className="text-xs text-muted sm:hidden">Expired</span>
                  )}
                </span>
              ),
            },
            { heading: 'Role', wide: true, cell: ({ role }) => role },
            {
              heading: 'Status',
              wide: true,
              cell: ({ status }) => (
                <Status state={status === 'pending' ? 'waiting' : 'idle'}>
                  {status === 'pending' ? 'Open' : 'Expired'}
                </Status>
              ),
            },
            { heading: 'Ends', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
            {
              heading: '',
              align: 'right',
              cell: ({ id, email, invite_link }) => (
                <div className="flex items-center justify-end gap-1">
                  {invite_link !== undefined && (
                    <ActButton
                      icon="copy"
                      label={`Copy link for ${email}`}
                      onFailure={setFailure}
                      act={async () => {
                        setNotice(
                          (await copy(invite_link))
                            ? `The link for ${email} is in the clipboard.`
                            : `Copy the link for ${email} by hand: ${invite_link}`,
                        );
                      }}
                    >
                      <span className="max-sm:sr-only">Copy link</span>
                    </ActButton>
                  )}
                  <ActsMenu
                    label={`Acts on the invitation of ${email}`}
                    acts={[
                      {
                        label: mail ? 'Send again' : 'Make a new link',
                        onSelect: () => void resend(id, email),
                      },
                      { label: 'Revoke', danger: true, onSelect: () => void revoke(id, email) },
                    ]}
                  />
                </div>
              ),
            },
          ]}
        />
      )}
      {create && (
        <NewInvitation
          org={org}
          onInvited={setNotice}
          onClose={() => void navigate({ to: '.', search: {}, replace: true })}
        />
      )}
    </Section>
  );
}
