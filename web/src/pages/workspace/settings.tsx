import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace, workspaceInstructionsQuery } from '../../data/workspace.ts';
import { CheckField, Form, TextField } from '../../ui/form.tsx';
import { Instructions } from '../../ui/instructions.tsx';
import { ColorField, IconField } from '../../ui/look-fields.tsx';
import { Notice, Refusal } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { GithubAccounts } from '../account/github-accounts.tsx';
import { providerError } from '../sign-in/provider-errors.ts';
import { GiteaServers } from './gitea-servers.tsx';
import { useWorkspace } from './use-workspace.ts';

/** A workspace's name, look and rules. Only what was changed is sent. */
export function WorkspaceSettings(): ReactNode {
  const workspace = useWorkspace();
  const { id: org, is_owner } = workspace;
  const instructions = useQuery(workspaceInstructionsQuery(org));
  const [saved, setSaved] = useState(false);
  const { error } = useSearch({ from: '/signed-in/workspaces/$org/settings' });
  return (
    <>
      {error !== undefined && <Refusal>{providerError(error)}</Refusal>}
      <Section title="General">
        {saved && <Notice onClose={() => setSaved(false)}>The settings are saved.</Notice>}
        <Form
          key={workspace.updated_at}
          submit="Save"
          onSubmit={async (values) => {
            setSaved(false);
            const wanted = {
              name: values.name?.trim() ?? workspace.name,
              color: values.color || null,
              icon: values.icon || null,
              require_2fa: values.require_2fa !== undefined,
              admins_manage_admins: is_owner
                ? values.admins_manage_admins !== undefined
                : workspace.admins_manage_admins,
            };
            const now = { color: null, icon: null, ...workspace } as Record<string, unknown>;
            const changes = Object.entries(wanted).filter(
              ([name, value]) => !same(now[name], value),
            );
            await guildhall.put('/api/organizations/{org_id}', {
              org_id: org,
              body: Object.fromEntries(changes),
            });
            setSaved(true);
            await refreshWorkspace(org);
          }}
        >
          <TextField name="name" label="Name" defaultValue={workspace.name} dir="auto" required />
          <ColorField name="color" label="Colour" defaultValue={workspace.color} none />
          <IconField name="icon" label="Icon" defaultValue={workspace.icon} />
          <CheckField
            name="require_2fa"
            label="Require two-factor authentication"
            defaultChecked={workspace.require_2fa}
            hint="Members without it can do nothing here until they enable it."
          />
          <CheckField
            name="admins_manage_admins"
            label="Admins may make and unmake admins"
            defaultChecked={workspace.admins_manage_admins}
            disabled={!is_owner}
            hint={is_owner ? undefined : 'The owner decides this.'}
          />
        </Form>
      </Section>
      <Instructions
        of="workspace"
        place={org}
        query={instructions}
        may={workspace.available_actions.includes('update_workspace')}
        save={(text, etag) =>
          guildhall.put(
            '/api/organizations/{org_id}/instructions',
            { org_id: org, body: { text } },
            etag === undefined ? {} : { ifMatch: etag },
          )
        }
      />
      <GiteaServers
        org={org}
        may={workspace.available_actions.includes('create_gitea_connection')}
      />
      <GithubAccounts org={org} here={`/workspaces/${org}/settings`} />
    </>
  );
}

// The field for a colour writes small letters.
const same = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'string' && typeof b === 'string' && isColor(a, b));
const isColor = (a: string, b: string) => b.startsWith('#') && a.toLowerCase() === b.toLowerCase();
