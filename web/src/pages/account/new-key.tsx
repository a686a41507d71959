import { type ReactNode, useState } from 'react';
import { refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, Form, SelectField, TextField } from '../../ui/form.tsx';

const DAY = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Never' },
];

/** Makes a key, and shows it, only this once. */
export function NewKey({
  workspaces,
  onClose,
}: {
  workspaces: readonly { id: string; name: string }[];
  onClose: () => void;
}): ReactNode {
  const [key, setKey] = useState<string>();
  if (key !== undefined)
    return (
      <Dialog title="Your new key" onClose={onClose}>
        <p>Copy it now, to where its program finds it. It is not shown again.</p>
        <div className="rounded-box bg-raised p-3">
          <CopyText text={key} label="Copy the key" />
        </div>
        <p className="text-muted">Try it:</p>
        <CopyText
          text={`curl -H "Authorization: Bearer $KEY" ${location.origin}/api/account`}
          label="Copy the command"
        />
        <div>
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form
        submit="Create the key"
        onCancel={onClose}
        onSubmit={async ({ name = '', organization_id, expires_at, read_only }) => {
          const made = await auth.post('/auth/keys', {
            body: {
              name: name.trim(),
              read_only: read_only === 'on',
              ...(organization_id && { organization_id }),
              ...(expires_at && {
                expires_at: new Date(Date.now() + Number(expires_at) * DAY).toISOString(),
              }),
            },
          });
          setKey(made.key);
          await refreshAccount();
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          required
          hint="Which program it is for, such as “CI of the shop”."
        />
        <SelectField name="expires_at" label="Expires" options={LIFETIMES} defaultValue="90" />
        <SelectField
          name="organization_id"
          label="Opens"
          options={[
            { value: '', label: 'All that you can open' },
            ...workspaces.map(({ id, name }) => ({ value: id, label: `${name} alone` })),
          ]}
        />
        <CheckField name="read_only" label="Only to read" hint="It can change nothing." />
      </Form>
    </Dialog>
  );
}
