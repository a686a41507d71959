import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auth } from '../data/api.ts';
import { browserHasPasskeys, provePasskey } from '../data/passkeys.ts';
import { sessionQuery } from '../data/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';

/** Asks who is there, when an act needs it: by a passkey, or by a new sign-in. */
export default function ProofDialog({ close }: { close: (proven: boolean) => void }): ReactNode {
  const router = useRouter();
  const session = useQuery(sessionQuery);
  return (
    <Dialog title="Is it you?" onClose={() => close(false)}>
      <p>This needs a proof that you gave in the last ten minutes.</p>
      {session.data?.sign_in.passkeys && browserHasPasskeys() && (
        <Form
          submit="Use a passkey"
          onCancel={() => close(false)}
          onSubmit={async () => {
            await provePasskey();
            close(true);
          }}
        />
      )}
      <p className="text-muted">
        A new sign-in counts for ten minutes, too. You come back to this page; what you have typed
        is lost.
      </p>
      <Form
        submit="Sign in again"
        look="plain"
        onSubmit={async () => {
          const { href } = router.state.location;
          await auth.post('/auth/sign-out');
          location.assign(`/sign-in?${new URLSearchParams({ return_to: href })}`);
        }}
      />
    </Dialog>
  );
}
