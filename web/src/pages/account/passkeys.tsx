import { type ReactNode, useState } from 'react';
import { refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import type { components } from '../../data/auth-schema.d.ts';
import { addPasskey } from '../../data/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Passkey = components['schemas']['Factors']['passkeys'][number];

/** The passkeys of the person: each is both factors of a sign-in. */
export function Passkeys({
  passkeys,
  offered,
}: {
  passkeys: readonly Passkey[];
  /** Whether passkeys work at the address of this page. */
  offered: boolean;
}): ReactNode {
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  return (
    <Section
      title="Passkeys"
      actions={offered && <Button onClick={() => setAdding(true)}>Add a passkey</Button>}
    >
      {!offered && (
        <p className="max-w-prose text-muted">
          Passkeys need HTTPS and a host name, or localhost. At {location.origin}, browsers neither
          make nor use any.
        </p>
      )}
      {passkeys.length === 0 ? (
        offered && (
          <p className="max-w-prose text-muted">
            None yet. A passkey signs you in with your fingerprint, face or screen lock, without a
            password or a code.
          </p>
        )
      ) : (
        <Table
          label="Your passkeys"
          rows={passkeys}
          keyOf={({ id }) => id}
          columns={[
            {
              heading: 'Name',
              cell: ({ name }) => (
                <span dir="auto" title={name} className="line-clamp-1">
                  {name}
                </span>
              ),
            },
            { heading: 'Added', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              heading: 'Used',
              cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
            },
            {
              heading: '',
              align: 'right',
              cell: (passkey) => (
                <Button aria-label={`Remove ${passkey.name}`} onClick={() => setRemoved(passkey)}>
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {adding && <Add onClose={() => setAdding(false)} />}
      {removed && <Remove passkey={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function Add({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        submit="Add the passkey"
        onCancel={onClose}
        onSubmit={async ({ name = '' }) => {
          await addPasskey(name.trim());
          await refreshAccount();
          onClose();
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          required
          hint="Where it is kept, such as “Laptop”. Then your browser asks you to make it."
        />
      </Form>
    </Dialog>
  );
}

function Remove({ passkey, onClose }: { passkey: Passkey; onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Remove this passkey?"
      submit="Remove the passkey"
      act={async () => {
        await auth.delete('/auth/passkeys/{passkey_id}', { passkey_id: passkey.id });
        await refreshAccount();
      }}
      onClose={onClose}
    >
      <p>
        <strong dir="auto">{passkey.name}</strong> no longer signs you in. If it is your last second
        factor, workspaces that require one are closed to you until you set up another.
      </p>
    </Confirm>
  );
}
