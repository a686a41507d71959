import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  createWebhook,
  KIND_NAMES,
  type Kind,
  type Place,
  refreshWebhooks,
} from '../../data/webhooks.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { chosenTypes, EventFields } from './webhook-fields.tsx';

const KINDS = Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label }));
const PROPOSED = ['task.plan_waiting', 'task.failed', 'task.merged'];

/** Adds a webhook, and shows its secret, only this once. */
export function AddWebhook({ place, onClose }: { place: Place; onClose: () => void }): ReactNode {
  const [kind, setKind] = useState<Kind>('standard');
  const [secret, setSecret] = useState<string>();
  const navigate = useNavigate();
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <Form
        submit="Add the webhook"
        onCancel={onClose}
        onSubmit={async (values) => {
          const made = await createWebhook(place, {
            name: (values.name ?? '').trim(),
            url: (values.url ?? '').trim(),
            kind,
            ...(kind === 'audit' ? {} : { event_types: chosenTypes(place, values) }),
          });
          await refreshWebhooks(place);
          void navigate({ to: '.', search: { webhook: made.id }, resetScroll: false });
          if (made.secret === undefined) onClose();
          else setSecret(made.secret);
        }}
      >
        <TextField name="name" label="Name" dir="auto" maxLength={100} required />
        <SelectField
          name="kind"
          label="Kind"
          options={KINDS}
          onChange={(value) => setKind(value as Kind)}
        />
        <TextField
          name="url"
          label="Address"
          type="url"
          required
          hint={
            kind === 'slack' || kind === 'discord'
              ? 'Of an incoming webhook that you have made there. It is not shown again.'
              : 'Where a program of yours takes a POST, such as https://hooks.example.com/guildhall.'
          }
        />
        {kind === 'audit' ? (
          <p className="max-w-prose text-muted">
            Each row of the audit trail is sent as it is written, with who did it and what changed.
          </p>
        ) : (
          <EventFields place={place} chosen={PROPOSED} />
        )}
      </Form>
    </Dialog>
  );
}
