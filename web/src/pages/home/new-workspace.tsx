import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { useMayCreate } from '../../data/config.ts';
import { refreshWorkspace } from '../../data/workspace.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, Form, TextField } from '../../ui/form.tsx';

/** Creates a workspace, of which the person is the owner. */
export function NewWorkspace({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { workspaces } = useMayCreate();
  if (!workspaces)
    return (
      <Dialog title="New workspace" onClose={onClose}>
        <p>
          On this server only operators create workspaces: ask one to create it and to make you its
          owner.
        </p>
      </Dialog>
    );
  return (
    <Dialog title="New workspace" onClose={onClose}>
      <p className="text-muted">
        A workspace has people, projects and a balance of its own. You will be its owner.
      </p>
      <Form
        submit="Create the workspace"
        onCancel={onClose}
        onSubmit={async ({ name = '', require_2fa }) => {
          const { id } = await guildhall.post('/api/organizations', {
            body: { name, require_2fa: require_2fa !== undefined },
          });
          await refreshWorkspace(id);
          await navigate({ to: '/workspaces/$org', params: { org: id } });
        }}
      >
        <TextField name="name" label="Name" dir="auto" autoComplete="off" required />
        <CheckField
          name="require_2fa"
          label="Require two-factor authentication"
          hint="Members without it can do nothing here until they enable it."
        />
      </Form>
    </Dialog>
  );
}
