import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import type { Deactivation, OperatedUser } from '../../data/operator.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';

interface On {
  user: OperatedUser;
  onClose: () => void;
}

export function Deactivate({
  user,
  onClose,
  onDone,
}: On & { onDone: (receipt: Deactivation) => Promise<void> }): ReactNode {
  return (
    <Confirm
      title="Deactivate a person"
      submit="Deactivate"
      onClose={onClose}
      act={async () =>
        onDone(
          await guildhall.post('/api/operator/users/{user_id}/deactivate', { user_id: user.id }),
        )
      }
    >
      <p>
        <strong dir="auto">{user.email}</strong> is signed out everywhere, and their API keys are
        revoked for good. What they own, and turns that run, stay.
        {user.is_operator && ' They are no operator any more.'}
      </p>
    </Confirm>
  );
}

export function Activate({ user, onClose, onDone }: On & { onDone: () => Promise<void> }) {
  return (
    <Confirm
      title="Activate a person again"
      submit="Activate"
      onClose={onClose}
      act={async () => {
        await guildhall.post('/api/operator/users/{user_id}/activate', { user_id: user.id });
        await onDone();
      }}
    >
      <p>
        <strong dir="auto">{user.email}</strong> may sign in again, with all that they own and are a
        member of. Their former API keys stay revoked.
      </p>
    </Confirm>
  );
}

export function ResetTwoFactor({ user, onClose, onDone }: On & { onDone: () => Promise<void> }) {
  return (
    <Confirm
      title="Remove the second factors"
      submit="Remove them"
      onClose={onClose}
      act={async () => {
        await guildhall.post('/api/operator/users/{user_id}/reset-two-factor', {
          user_id: user.id,
        });
        await onDone();
      }}
    >
      <p>
        The authenticator app, the passkeys and the recovery codes of{' '}
        <strong dir="auto">{user.email}</strong> are removed, and they are signed out everywhere and
        told by mail. First make sure that it is they who ask, by something other than a mail.
      </p>
    </Confirm>
  );
}

/** The link is shown only this once. */
export function SignInLink({ user, onClose }: On): ReactNode {
  const [made, setMade] = useState<{ link: string; expires_at: string }>();
  return (
    <Dialog title="A sign-in link" onClose={onClose}>
      {made === undefined ? (
        <>
          <p>
            Whoever opens the link acts as <strong dir="auto">{user.email}</strong>, once, within an
            hour. Give it to nobody else: the person is told by mail that you made it.
          </p>
          <Form
            submit="Make the link"
            onCancel={onClose}
            onSubmit={async () =>
              setMade(
                await guildhall.post('/api/operator/users/{user_id}/sign-in-link', {
                  user_id: user.id,
                }),
              )
            }
          />
        </>
      ) : (
        <>
          <p>
            Copy it now: it is not shown again. It works until <Time at={made.expires_at} />.
          </p>
          <div className="rounded-box bg-raised p-3 break-all">
            <CopyText text={made.link} label="Copy the link" />
          </div>
          <div>
            <Button look="primary" onClick={onClose}>
              I have copied it
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
