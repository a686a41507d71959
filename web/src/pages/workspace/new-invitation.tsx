import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { refreshWorkspace, rolesQuery, teamsQuery } from '../../data/workspace.ts';
import { Button } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';
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
  const mail = useQuery(configQuery).data?.features.mail ?? true;
  const [made, setMade] = useState<{ email: string; link: string }>();
  if (made !== undefined)
    return (
      <Dialog title="Copy the link and send it" onClose={onClose}>
        <p>
          This server sends no email. Copy this link and send it to{' '}
          <strong dir="auto">{made.email}</strong> yourself: it says who invites to what, and is of
          use to that address alone.
        </p>
        <CopyLink link={made.link} />
        <p className="text-muted">
          You find it in the list of invitations again. Who has no account yet asks the operator of
          this server for a link to sign in.
        </p>
        <div>
          <Button onClick={onClose}>Done</Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Invite to the workspace" onClose={onClose}>
      {roles.error && <Failure error={roles.error} retry={() => void roles.refetch()} />}
      {/* It is there at once, so that its first field gets the focus; its button moves until all is. */}
      <Form
        disabled={roles.data === undefined || teams.isPending}
        submit={mail ? 'Send the invitation' : 'Make the invitation'}
        onCancel={onClose}
        onSubmit={async ({ email = '', role_id = '', ...rest }) => {
          const team_ids = teams.data
            ?.map(({ id }) => id)
            .filter((id) => rest[`team ${id}`] !== undefined);
          const { invite_link } = await guildhall.post('/api/organizations/{org_id}/invitations', {
            org_id: org,
            body: { email, role_id, ...(team_ids?.length && { team_ids }) },
          });
          if (!mail && invite_link !== undefined) setMade({ email, link: invite_link });
          else {
            onInvited(`The invitation is on its way to ${email}.`);
            onClose();
          }
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

/** The link in full, to be seen and copied by hand, and the button that copies it. */
function CopyLink({ link }: { link: string }): ReactNode {
  const [copied, setCopied] = useState<boolean>();
  return (
    <>
      <code className="rounded-box bg-raised p-3 text-xs break-all select-all">{link}</code>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          icon={copied ? 'check' : 'copy'}
          onClick={async () => setCopied(await copy(link))}
        >
          Copy the link
        </Button>
        <span role="status">
          {copied !== undefined &&
            (copied ? 'Copied.' : 'Your browser does not copy here: select the link by hand.')}
        </span>
      </div>
    </>
  );
}
