import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { invitationAnswered, myInvitationsQuery } from '../../data/invitations.ts';
import { leaveNotice } from '../../data/notice.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

/** The invitations that the person can answer; nothing if there are none. */
export function Invitations(): ReactNode {
  const invitations = useQuery(myInvitationsQuery);
  const [failure, setFailure] = useState<unknown>();
  const answer = async (invitation_id: string, name: string, accept: boolean) => {
    if (accept) await guildhall.post('/api/invitations/{invitation_id}/accept', { invitation_id });
    else await guildhall.post('/api/invitations/{invitation_id}/decline', { invitation_id });
    leaveNotice(accept ? `You have joined ${name}.` : `You have declined ${name}.`);
    await invitationAnswered();
  };
  if (invitations.error)
    return <Failure error={invitations.error} retry={() => void invitations.refetch()} />;
  if (invitations.data === undefined || invitations.data.length === 0) return null;
  return (
    <Section title="Invitations">
      {failure !== undefined && <Failure error={failure} />}
      <Table
        label="Invitations"
        rows={invitations.data.map((each) => ({
          ...each,
          to: each.organization_name ?? each.project_name ?? '',
        }))}
        keyOf={({ id }) => id}
        columns={[
          {
            heading: 'To',
            cell: ({ id, to, kind, role_name }) => (
              <div className="flex min-w-0 flex-col">
                <Link
                  to="/invitations/$id"
                  params={{ id }}
                  dir="auto"
                  className="font-medium hover:underline"
                >
                  {to}
                </Link>
                <span className="text-xs text-muted">
                  {kind === 'workspace' ? 'Workspace' : 'Project'}, as {role_name}
                </span>
              </div>
            ),
          },
          {
            heading: 'From',
            wide: true,
            cell: ({ invited_by_name }) => <span dir="auto">{invited_by_name}</span>,
          },
          { heading: 'Ends', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            heading: '',
            align: 'right',
            cell: ({ id, to }) => (
              <div className="flex flex-wrap justify-end gap-2">
                <ActButton
                  look="primary"
                  label={`Accept: ${to}`}
                  onFailure={setFailure}
                  act={() => answer(id, to, true)}
                >
                  Accept
                </ActButton>
                <ActButton
                  label={`Decline: ${to}`}
                  onFailure={setFailure}
                  act={() => answer(id, to, false)}
                >
                  Decline
                </ActButton>
              </div>
            ),
          },
        ]}
      />
    </Section>
  );
}
