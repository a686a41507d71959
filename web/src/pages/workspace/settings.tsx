import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshWorkspace, workspaceInstructionsQuery } from '../../data/workspace.ts';
import { Anew } from '../../ui/anew.tsx';
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
  const may = workspace.available_actions.includes('update_workspace');
  const instructions = useQuery(workspaceInstructionsQuery(org));
  const [saved, setSaved] = useState(false);
  const { error } = useSearch({ from: '/signed-in/workspaces/$org/settings' });
  return (
    <>
      {error !== undefined && <Refusal>{providerError(error)}</Refusal>}
      <Section title="General">
        {saved && <Notice onClose={() => setSaved(false)}>The settings are saved.</Notice>}
        <Anew read={workspace} version={workspace.updated_at}>
          {(begun, sent) => (
            <fieldset disabled={!may} className="contents">
              <Form
                submit="Save"
                disabled={!may}
                onSubmit={async (values) => {
                  setSaved(false);
                  const wanted = {
                    name: values.name?.trim() ?? begun.name,
                    color: values.color || null,
                    icon: values.icon || null,
                    require_2fa: values.require_2fa !== undefined,
                    admins_manage_admins: is_owner
                      ? values.admins_manage_admins !== undefined
                      : begun.admins_manage_admins,
                  };
                  const now = { color: null, icon: null, ...begun } as Record<string, unknown>;
                  const changes = Object.entries(wanted).filter(
                    ([name, value]) => !same(now[name], value),
                  );
                  await guildhall.put('/api/organizations/{org_id}', {
                    org_id: org,
                    body: Object.fromEntries(changes),
                  });
                  sent();
                  setSaved(true);
                  await refreshWorkspace(org);
                }}
              >
                <TextField name="name" label="Name" defaultValue={begun.name} dir="auto" required />
                <ColorField name="color" label="Colour" defaultValue={begun.color} none />
                <IconField name="icon" label="Icon" defaultValue={begun.icon} />
                <CheckField
                  name="require_2fa"
                  label="Require two-factor authentication"
                  defaultChecked={begun.require_2fa}
                  hint="Members without it can do nothing here until they enable it."
                />
                <CheckField
                  name="admins_manage_admins"
                  label="Admins may make and unmake admins"
                  defaultChecked={begun.admins_manage_admins}
                  disabled={!is_owner}
                  hint={is_owner ? undefined : 'The owner decides this.'}
                />
              </Form>
            </fieldset>
          )}
        </Anew>
        {!may && (
          <p className="text-muted">Owners and admins of the workspace can change its settings.</p>
        )}
      </Section>
      <Instructions
        of="workspace"
        place={org}
        query={instructions}
        may={may}
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
