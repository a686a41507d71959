import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  type Place,
  refreshDeliveries,
  refreshWebhooks,
  type Webhook,
} from '../../data/webhooks.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { chosenTypes, EventFields } from './webhook-fields.tsx';

type Open = 'edit' | 'rotate' | 'delete';

/** One webhook: what can be done with it, and what was sent to it. */
export function WebhookDetails({ place, webhook }: { place: Place; webhook: Webhook }): ReactNode {
  const { id, name, enabled, kind, overlap_until } = webhook;
  const [open, setOpen] = useState<Open>();
  const [failure, setFailure] = useState<unknown>();
  const close = () => setOpen(undefined);
  const navigate = useNavigate();
  const signed = kind === 'standard' || kind === 'audit';
  return (
    <Section
      title={name}
      actions={
        <span className="flex flex-wrap gap-2">
          {enabled && (
            <ActButton
              onFailure={setFailure}
              act={async () => {
                await guildhall.post('/api/webhooks/{webhook_id}/test', { webhook_id: id });
                await refreshDeliveries(id);
              }}
            >
              Send a test
            </ActButton>
          )}
          <ActButton
            onFailure={setFailure}
            act={async () => {
              await guildhall.put('/api/webhooks/{webhook_id}', {
                webhook_id: id,
                body: { enabled: !enabled },
              });
              await refreshWebhooks(place);
              await refreshDeliveries(id);
            }}
          >
            {enabled ? 'Switch off' : 'Switch on'}
          </ActButton>
          <Button onClick={() => setOpen('edit')}>Change</Button>
          {signed && <Button onClick={() => setOpen('rotate')}>Replace the secret</Button>}
          <Button look="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </span>
      }
    >
      {failure !== undefined && <Failure error={failure} />}
      {overlap_until !== undefined && (
        <p className="max-w-prose text-muted">
          Its secret was replaced: the one before signs, too, until <Time at={overlap_until} />.
        </p>
      )}
      <Deliveries webhookId={id} enabled={enabled} />
      {open === 'edit' && <Change place={place} webhook={webhook} onClose={close} />}
      {open === 'rotate' && <Rotate place={place} webhookId={id} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this webhook?"
          submit="Delete the webhook"
          onClose={close}
          act={async () => {
            await guildhall.delete('/api/webhooks/{webhook_id}', { webhook_id: id });
            void navigate({ to: '.', search: {}, resetScroll: false });
            await refreshWebhooks(place);
          }}
        >
          <p>
            Nothing more is sent to <strong dir="auto">{name}</strong>, and the log of its
            deliveries is deleted.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

function Change({
  place,
  webhook,
  onClose,
}: {
  place: Place;
  webhook: Webhook;
  onClose: () => void;
}): ReactNode {
  const audit = webhook.kind === 'audit';
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <Form
        submit="Save"
        onCancel={onClose}
        onSubmit={async (values) => {
          const url = (values.url ?? '').trim();
          await guildhall.put('/api/webhooks/{webhook_id}', {
            webhook_id: webhook.id,
            body: {
              name: (values.name ?? '').trim(),
              ...(url === '' ? {} : { url }),
              ...(audit ? {} : { event_types: chosenTypes(place, values) }),
            },
          });
          await refreshWebhooks(place);
          onClose();
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          maxLength={100}
          defaultValue={webhook.name}
          required
        />
        <TextField
          name="url"
          label="New address"
          type="url"
          placeholder={webhook.url}
          hint="Left empty, the address stays."
        />
        {!audit && <EventFields place={place} chosen={webhook.event_types} />}
      </Form>
    </Dialog>
  );
}

function Rotate({
  place,
  webhookId,
  onClose,
}: {
  place: Place;
  webhookId: string;
  onClose: () => void;
}): ReactNode {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <ShownSecret secret={secret} onClose={onClose} />;
  return (
    <Dialog title="Replace the secret?" onClose={onClose}>
      <p className="max-w-prose">
        You get a new secret. For 24 hours each event is signed with both, so that your program can
        change over.
      </p>
      <Form
        submit="Replace the secret"
        onCancel={onClose}
        onSubmit={async () => {
          const made = await guildhall.post('/api/webhooks/{webhook_id}/rotate-secret', {
            webhook_id: webhookId,
          });
          setSecret(made.secret);
          await refreshWebhooks(place);
        }}
      />
    </Dialog>
  );
}
